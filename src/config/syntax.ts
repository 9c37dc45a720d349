/** What a YAML mistake means, in words of ours; the library's own text where it is good enough. */
import type { ErrorCode } from 'yaml';

/** A sentence with the remedy for a parser error. `message` is the library's text. */
export function syntaxText(code: ErrorCode, message: string): string {
  return TEXTS[code] ?? firstLine(message);
}

export const TOO_DEEP = 'nested too deeply';

const TEXTS: Partial<Record<ErrorCode, string>> = {
  BAD_INDENT: 'wrong indentation, or a bracket or quote above is not closed',
  BLOCK_AS_IMPLICIT_KEY:
    'a mapping cannot start here; quote a value that contains ": ", or check the indentation',
  MULTIPLE_DOCS: 'a second document starts here; remove the line ---',
  RESOURCE_EXHAUSTION: TOO_DEEP,
  TAB_AS_INDENT: 'a tab indents this line; YAML wants spaces',
  TAG_RESOLVE_FAILED: 'tags such as !name are not supported',
  MULTILINE_IMPLICIT_KEY: 'expected "key: value" on one line',
};

function firstLine(message: string): string {
  const [first = message] = message.split('\n', 1);
  const sentence = first.replace(/:$/, '');
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
