import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkConfig } from '../../src/config/check.ts';
import { exampleConfig } from '../../src/config/example.ts';
import { configJsonSchema } from '../../src/config/json-schema.ts';
import { loadConfig } from '../../src/config/load.ts';
import { oauthEntries } from '../../src/config/schema/auth.ts';
import { modelSchema } from '../../src/config/schema/model.ts';
import { mcpSchema, rootSchema } from '../../src/config/schema/root.ts';
import { serverSchema } from '../../src/config/schema/server.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';
import { load } from './try-load.ts';

const example = exampleConfig();
const everything = example.replace(/^( *)# /gm, '$1');

describe('the example', () => {
  test('stands at the top level as it is generated', () => {
    expect(readFileSync(join(import.meta.dir, '../../config.example.yaml'), 'utf8')).toBe(example);
  });

  test('runs as it stands without network and model', async () => {
    const { model, servers, warnings } = await load(example);
    expect({
      provider: model?.provider,
      servers: servers.map(({ endpoint }) => endpoint),
      warnings,
    }).toEqual({
      provider: 'offline',
      servers: [{ kind: 'builtin', builtin: 'workspace' }],
      warnings: [],
    });
  });

  test('is valid with every option on', async () => {
    const pem = '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n';
    const cwd = writeFiles(newFolder(), { 'config.yaml': everything, 'team-ca.pem': pem });
    const options = { configFlag: 'config.yaml', env: {}, cwd };
    const { servers, warnings } = await loadConfig(options);
    expect([servers.map(({ name }) => name), warnings]).toEqual([
      ['workspace', 'remote', 'tracker', 'wiki', 'board', 'reports', 'mail', 'files'],
      [],
    ]);
  });

  test('names every key of the schema', () => {
    const entries = [modelSchema, mcpSchema, serverSchema].map((schema) => schema.entries);
    const keys = [...entries, oauthEntries, rootSchema.entries].flatMap((all) => Object.keys(all));
    const missing = keys.filter((key) => !new RegExp(`^[ -]*${key}:`, 'm').test(everything));
    expect(missing).toEqual([]);
  });
});

test.each([
  ...Object.entries(modelSchema.entries),
  ...Object.entries(mcpSchema.entries),
  ...Object.entries(serverSchema.entries),
])('the line of %s in the example names every value it takes', (key, schema) => {
  const choices = choicesOf(schema);
  const lines = everything.split('\n').filter((line) => new RegExp(`^[ -]*${key}: `).test(line));
  const unnamed = choices.filter((choice) => !lines.some((line) => line.includes(choice)));
  expect(unnamed).toEqual([]);
});

/** The only values of a key; none where it takes others. */
function choicesOf(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  if ('type' in schema && schema.type === 'picklist' && 'options' in schema) {
    return Array.isArray(schema.options) ? schema.options.map(String) : [];
  }
  if ('wrapped' in schema) return choicesOf(schema.wrapped);
  return [];
}

describe('the JSON Schema', () => {
  test('says what usher accepts', () => {
    const schema = configJsonSchema();
    const text = { type: ['string', 'number', 'boolean'] };
    expect(schema).toMatchObject({
      $schema: 'http://json-schema.org/draft-07/schema#',
      title: 'usher configuration',
      type: 'object',
      additionalProperties: false,
      properties: {
        model: {
          required: ['provider'],
          properties: {
            name: { ...text, minLength: 1 },
            maxTokens: { type: 'integer', minimum: 1 },
            temperature: { type: 'number', minimum: 0, maximum: 2 },
            allowPrivate: { type: 'boolean' },
          },
        },
        servers: {
          type: 'array',
          items: {
            required: ['name'],
            additionalProperties: false,
            properties: {
              args: { type: 'array', items: text },
              env: { additionalProperties: { anyOf: [text, { type: 'null' }] } },
              timeout: { properties: { idle: { type: 'string', pattern: expect.any(String) } } },
            },
          },
        },
      },
    });
  });

  test('describes every key', () => {
    const without: string[] = [];
    const walk = (value: unknown, path: string) => {
      if (typeof value !== 'object' || value === null) return;
      for (const [key, child] of Object.entries(value)) {
        if (key === 'properties') {
          for (const [name, property] of Object.entries(child)) {
            if (!/"(description|const)":/.test(JSON.stringify(property)))
              without.push(`${path}.${name}`);
          }
        }
        walk(child, key === 'properties' ? path : `${path}.${key}`);
      }
    };
    walk(configJsonSchema(), '');
    expect(without).toEqual([]);
  });
});

describe('check', () => {
  const check = (text: string, env = {}) => {
    const cwd = writeFiles(newFolder(), { 'c.yaml': text });
    return checkConfig({ configFlag: 'c.yaml', env, cwd });
  };

  test('a good file is one line and exit 0; unset variables only warn', async () => {
    const text = `model: {provider: openai, name: m, apiKeyEnv: KEY}
servers:
  - {name: a, url: "https://a.example/", auth: {type: bearer, tokenEnv: A}}
  - {name: b, url: "https://b.example/", auth: {type: bearer, tokenEnv: B}}
  - {name: c, url: "https://c.example/", auth: {type: bearer, tokenEnv: C}, enabled: false}
`;
    expect(await check(text, { KEY: 'k', A: 'a', B: ' ' })).toEqual({
      lines: [
        'warning: servers.b.auth.tokenEnv: $B is not set or empty',
        expect.stringMatching(/c\.yaml: 3 servers, model openai\/m$/),
      ],
      exit: 0,
    });
  });

  test('a skipped entry is exit 3', async () => {
    expect(await check('servers: [{name: a}]')).toEqual({
      lines: [
        'c.yaml:1:11 servers.a: one of url, command, builtin is missing\n  servers: [{name: a}]\n            ^',
        expect.stringMatching(/c\.yaml: 0 servers, 1 skipped, model offline$/),
      ],
      exit: 3,
    });
  });

  test('a file that cannot be used is exit 3 with its hint', async () => {
    expect(await checkConfig({ configFlag: 'no.yaml', env: {}, cwd: newFolder() })).toEqual({
      lines: [
        '--config: no.yaml does not exist',
        'hint: usher config example prints a file to start from',
      ],
      exit: 3,
    });
  });

  test('no file at all is fine', async () => {
    expect(await checkConfig({ env: {}, cwd: newFolder() })).toEqual({
      lines: ['no file found, defaults are used: 1 server, model offline'],
      exit: 0,
    });
  });
});
