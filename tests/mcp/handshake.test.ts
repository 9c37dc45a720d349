import { describe, expect, test } from 'bun:test';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { RpcError } from '../../src/mcp/errors.ts';
import { shakeHands } from '../../src/mcp/handshake.ts';

async function shake(answers: readonly (JsonValue | Error)[]) {
  const asked: unknown[] = [];
  const handshake = await shakeHands(
    async (params: JsonObject) => {
      const answer = answers[asked.length];
      asked.push(params['protocolVersion']);
      if (answer instanceof Error) throw answer;
      return answer ?? null;
    },
    's1',
    { version: '1.2.3', clientCapabilities: { roots: {} } },
  );
  return { ...handshake, asked };
}

const refusal = (data: JsonValue | undefined) =>
  new RpcError('s1', 'initialize', {
    code: -32_602,
    message: 'Unsupported protocol version',
    data,
  });
const answer = { protocolVersion: '2025-03-26', capabilities: {} };

describe('shakeHands', () => {
  test('tries a listed version once after a refusal', async () => {
    const listed = refusal({ supported: ['2024-11-05', '2025-03-26'], requested: '2025-11-25' });
    expect(await shake([listed, answer])).toEqual({
      protocolVersion: '2025-03-26',
      serverInfo: undefined,
      instructions: undefined,
      capabilities: {},
      notices: [],
      asked: ['2025-11-25', '2025-03-26'],
    });
    await expect(shake([listed, listed])).rejects.toThrow('Unsupported protocol version');
  });

  test.each([undefined, null, { supported: [] }, { supported: ['2099-01-01'] }, 'text'])(
    'gives up after a refusal with data %j',
    async (data) => {
      await expect(shake([refusal(data), answer])).rejects.toThrow('Unsupported protocol version');
    },
  );

  test.each(['1.0', 5, null])('connects with a notice to version %j', async (protocolVersion) => {
    const { notices, protocolVersion: used } = await shake([{ ...answer, protocolVersion }]);
    expect([used, notices]).toEqual([
      typeof protocolVersion === 'string' ? protocolVersion : '2025-11-25',
      [
        `server "s1" speaks protocol version ${JSON.stringify(protocolVersion)}, which is not known here (asked for 2025-11-25)`,
      ],
    ]);
  });

  test('keeps 4,000 characters of the instructions', async () => {
    const { instructions } = await shake([{ ...answer, instructions: '🙂'.repeat(5000) }]);
    expect(instructions).toBe('🙂'.repeat(4000));
  });

  test.each([null, 'yes', [1]])('refuses %j as an answer', async (odd) => {
    await expect(shake([odd])).rejects.toThrow('server "s1" answered initialize without an object');
  });
});
