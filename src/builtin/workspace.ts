/**
 * The built-in `workspace` server: read-only tools on the files below one root. In process, no MCP. Nothing
 * outside the root and no credential file is read, whatever the arguments or symlinks say.
 */
import { FailedError, UsageError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { defineTool } from '../base/own-tool.ts';
import type { ToolDefinition, ToolResult, ToolSource } from '../tools/types.ts';
import { fileInfo, listDirectory } from './directory.ts';
import { findFiles, searchText } from './find.ts';
import { readTextFile } from './read-file.ts';
import { createRoot, type WorkspaceRoot } from './root.ts';

export interface Workspace {
  readonly source: ToolSource;
  readonly definitions: readonly ToolDefinition[];
}

type Operation = (root: WorkspaceRoot, args: JsonObject, signal: AbortSignal) => Promise<string>;

/** The tools of `directory` under the configured server name. Opens nothing; a missing directory shows at the first call. */
export function createWorkspace(name: string, directory: string): Workspace {
  const root = createRoot(directory);
  return {
    definitions: TOOLS.map(({ definition }) => definition),
    source: {
      name,
      kind: 'builtin',
      identity: `builtin:workspace ${root.path}`,
      async call(call) {
        call.signal.throwIfAborted();
        const tool = TOOLS.find(({ definition }) => definition.name === call.tool);
        if (tool === undefined) throw new FailedError(`the workspace has no tool "${call.tool}"`);
        try {
          return textResult(await tool.run(root, call.arguments, call.signal), false);
        } catch (error) {
          // A path that is refused or missing is a result the model can mend.
          if (error instanceof UsageError) return textResult(error.message, true);
          throw error;
        }
      },
    },
  };
}

function textResult(text: string, isError: boolean): ToolResult {
  const content = [{ type: 'text', text }];
  return { content, structuredContent: undefined, isError, raw: { content, isError } };
}

const PATH: JsonObject = {
  type: 'string',
  description: 'Path relative to the workspace root. Default: the root.',
};

const TOOLS: readonly { readonly definition: ToolDefinition; readonly run: Operation }[] = [
  {
    definition: define(
      'list_directory',
      'List directory',
      'Lists the files and folders of one directory of the workspace with their sizes. Folders end with a slash.',
      { path: PATH },
      [],
    ),
    run: listDirectory,
  },
  {
    definition: define(
      'read_file',
      'Read file',
      'Reads lines of a text file of the workspace. Long files are read in pieces with offset and limit.',
      {
        path: { type: 'string', description: 'Path relative to the workspace root.' },
        offset: { type: 'integer', minimum: 1, description: 'First line to read. Default 1.' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 5000,
          description: 'Number of lines. Default 1000.',
        },
      },
      ['path'],
    ),
    run: readTextFile,
  },
  {
    definition: define(
      'find_files',
      'Find files',
      'Finds files of the workspace by a glob pattern on their path, such as "**/*.ts" or "src/*.json". A pattern without a slash fits the file name in any folder.',
      {
        pattern: { type: 'string', minLength: 1, description: 'Glob: * ? ** [abc] {a,b}.' },
        path: { ...PATH, description: 'Folder to look in. Default: the root.' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 1000,
          description: 'Most files to list. Default 200.',
        },
      },
      ['pattern'],
    ),
    run: findFiles,
  },
  {
    definition: define(
      'search_text',
      'Search text',
      'Searches the text files of the workspace for a literal text (no regular expression) and gives path:line: text for each line that has it.',
      {
        text: { type: 'string', minLength: 1, description: 'The text to look for, as it stands.' },
        path: { ...PATH, description: 'File or folder to search. Default: the root.' },
        pattern: { type: 'string', description: 'Only files that fit this glob, such as "*.md".' },
        ignore_case: { type: 'boolean', description: 'Take a and A as the same. Default false.' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 1000,
          description: 'Most lines to give. Default 100.',
        },
      },
      ['text'],
    ),
    run: searchText,
  },
  {
    definition: define(
      'file_info',
      'File info',
      'Tells kind, size, time of last change and number of lines of one file or folder of the workspace.',
      { path: { type: 'string', description: 'Path relative to the workspace root.' } },
      ['path'],
    ),
    run: fileInfo,
  },
];

function define(
  name: string,
  title: string,
  description: string,
  properties: JsonObject,
  required: readonly string[],
): ToolDefinition {
  const hints = { readOnlyHint: true, destructiveHint: false, openWorldHint: false };
  return defineTool({ name, title, description, properties, required }, hints);
}
