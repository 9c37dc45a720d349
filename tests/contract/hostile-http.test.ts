/**
 * Servers over HTTP that break the rules, each beside a good one: the call ends with a reason or with the name
 * of the clock that ended it, the neighbour answers all the while, and nothing stays open afterwards.
 */
import { describe, expect, test } from 'bun:test';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import type { CallOutcome } from '../../src/calls/types.ts';
import {
  event,
  type HostileRequest,
  type HostileServer,
  type Hostility,
  reply,
  startHostile,
  startStream,
  textResult,
  type Wire,
} from '../fixtures/servers/hostile.ts';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { httpEntry, openScene, type Scene } from '../flow/scene.ts';
import { until } from '../mcp/rig.ts';

/** Long enough for a busy machine: a row that ends by these says so. */
const CLOCKS = ', permissions: auto, timeout: {connect: 6s, idle: 6s, max: 8s}';
/** For rows that only a clock ends. */
const SHORT = ', permissions: auto, timeout: {connect: 1500ms, idle: 500ms, max: 1500ms}';
/** Slower than any row may be: the clocks above, what closing may take, and a busy machine. */
const ROW_MS = 15_000;
const MIB = 1024 * 1024;

/** Takes over tools/call; everything else is well done. */
function atCall(act: (wire: Wire, id: unknown, request: HostileRequest) => void): Hostility {
  return (request, wire) => {
    if (request.method !== 'tools/call') return false;
    act(wire, request.message['id'], request);
    return true;
  };
}

/** An answer over an event stream, and its end. */
function streamed(...pieces: readonly string[]): Hostility {
  return atCall((wire) => {
    startStream(wire);
    for (const piece of pieces) wire.write(piece);
    wire.end();
  });
}

/** Every stream, of a call and of the server's own, says that it lives and ends. */
function resuming(pause: string): Hostility {
  return (request, wire) => {
    if (request.method !== 'tools/call' && request.verb !== 'GET') return false;
    startStream(wire);
    wire.write(`id: 1\n${pause}data:\n\n`);
    wire.end();
    return true;
  };
}

async function withScene<T>(
  hostility: Hostility,
  work: (scene: Scene, server: HostileServer) => Promise<T>,
  clocks: string = CLOCKS,
): Promise<T> {
  await using good = await startMcpServer();
  await using server = await startHostile(hostility);
  const entries = [httpEntry('bad', server.url, clocks), httpEntry('good', good.url, CLOCKS)];
  await using scene = await openScene({ yaml: `servers:\n${entries.join('\n')}` });
  return await work(scene, server);
}

function call(scene: Scene, name: string, signal = new AbortController().signal) {
  const args = { text: 'hi' };
  const asked = { id: name, name, arguments: args, invalidArguments: undefined };
  return scene.host.call({ ...asked, origin: 'user' }, signal);
}

function told(outcome: CallOutcome): string {
  if (outcome.kind === 'result') return `result ${JSON.stringify(outcome.result.raw)}`;
  return `${outcome.kind} ${outcome.text}`;
}

/** How the bad server's call ended, with the good one's going on beside it. */
async function outcomeOf(
  hostility: Hostility,
  clocks?: string,
): Promise<readonly [bad: string, good: string]> {
  const work = async (scene: Scene): Promise<readonly [string, string]> => {
    const bad = call(scene, 'bad/echo');
    const good = told(await call(scene, 'good/echo'));
    return [told(await bad), good];
  };
  return withScene(hostility, work, clocks);
}

const GOOD = 'result {"content":[{"type":"text","text":"{\\"text\\":\\"hi\\"}"}]}';
const head = (type: string, more = '') => `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n${more}\r\n`;

/** Which of the two comes first depends on what counts as a sign of life. */
const SOME_CLOCK = /\(timeout\.(idle|max)\)/;

describe.concurrent('a call that only a clock can end', () => {
  test.each<readonly [string, Hostility, RegExp]>([
    ['stays silent', atCall(() => undefined), SOME_CLOCK],
    ['has every stream resumed for a sign of life', resuming('retry: 0\n'), SOME_CLOCK],
    [
      'has an empty stream resumed again and again',
      (request, wire) => {
        if (request.method !== 'tools/call' && request.verb !== 'GET') return false;
        startStream(wire);
        if (request.verb === 'POST') wire.write('id: 1\nretry: 0\ndata:\n\n');
        wire.end();
        return true;
      },
      /\(timeout\.(idle|max)\)|closed the stream/,
    ],
    ['wants to be asked again in eleven days', resuming('retry: 1000000000\n'), SOME_CLOCK],
    [
      'dribbles its headers',
      atCall((wire) => {
        wire.write('HTTP/1.1 200 OK\r\n');
        wire.drip('x-more: 1\r\n', 50);
      }),
      SOME_CLOCK,
    ],
    [
      'dribbles its body without end',
      atCall((wire) => {
        wire.write(head('application/json', 'content-length: 100000\r\n'));
        wire.drip(' ', 50);
      }),
      SOME_CLOCK,
    ],
    [
      'streams comments without end',
      atCall((wire) => {
        startStream(wire);
        wire.drip(': still here\n', 20);
      }),
      SOME_CLOCK,
    ],
    [
      'streams one line without end',
      atCall((wire) => {
        startStream(wire);
        wire.write('data: ');
        wire.drip('x'.repeat(1000), 20);
      }),
      SOME_CLOCK,
    ],
  ])(
    '%s',
    async (_name, hostility, says) => {
      const [bad, good] = await outcomeOf(hostility, SHORT);
      expect(bad).toMatch(says);
      expect(bad.length).toBeLessThan(30_000);
      expect(good).toBe(GOOD);
    },
    ROW_MS,
  );
});

describe.concurrent('a call that the server does not answer ends at once', () => {
  test.each<readonly [string, Hostility, RegExp]>([
    [
      'ends its stream without the answer',
      streamed(': hi\n\n'),
      /closed the stream without answer/,
    ],
    [
      'says 202',
      atCall((wire) => wire.write('HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n')),
      /did not answer tools\/call: HTTP 202, empty body/,
    ],
    [
      'answers another id',
      atCall((wire) => reply(wire, JSON.stringify(textResult(999, 'not yours')))),
      /did not answer tools\/call/,
    ],
    ['answers an empty array', atCall((wire) => reply(wire, '[]')), /did not answer tools\/call/],
    ['answers nothing', atCall((wire) => reply(wire, '')), /did not answer .* empty body/],
    [
      'answers a web page',
      atCall((wire) => reply(wire, '<html>hello</html>', 'content-type: text/html')),
      /did not answer .* text\/html/,
    ],
    ['resets the connection', atCall((wire) => wire.reset()), /closed without an answer/],
    ['ends the connection', atCall((wire) => wire.end()), /closed|cannot reach/],
    [
      'sends less than it promised',
      atCall((wire) => {
        wire.write(`${head('application/json', 'content-length: 500\r\n')}{"jsonrpc":`);
        wire.end();
      }),
      /closed|cannot reach/,
    ],
    [
      'sends garbage for chunks',
      atCall((wire) => {
        wire.write(head('application/json', 'transfer-encoding: chunked\r\n'));
        wire.write('zz\r\nnot a chunk\r\n');
        wire.end();
      }),
      /cannot reach|did not answer/,
    ],
    [
      'sends no HTTP at all',
      atCall((wire) => {
        wire.write('220 smtp ready\r\n');
        wire.end();
      }),
      /cannot reach/,
    ],
    [
      'sends a head of a megabyte',
      atCall((wire) => {
        wire.write(head('application/json', `x-long: ${'y'.repeat(MIB)}\r\ncontent-length: 0\r\n`));
        wire.end();
      }),
      /cannot reach|did not answer/,
    ],
    [
      'sends more than 16 MiB of JSON',
      atCall((wire) => reply(wire, `{"x":"${'y'.repeat(17 * MIB)}"}`)),
      /larger than 16 MiB/,
    ],
    [
      'sends more than 16 MiB without saying how much',
      atCall((wire) => {
        wire.write(head('application/json', 'connection: close\r\n'));
        wire.write(`{"x":"${'y'.repeat(17 * MIB)}"}`);
        wire.end();
      }),
      /larger than 16 MiB/,
    ],
    [
      'sends an event of more than 16 MiB',
      streamed(`data: ${'y'.repeat(17 * MIB)}\n\n`),
      /larger than 16777216 bytes/,
    ],
    [
      'nests its JSON ten thousand deep',
      atCall((wire, id) =>
        reply(
          wire,
          `{"jsonrpc":"2.0","id":${id},"result":{"content":${'['.repeat(10_000)}${']'.repeat(10_000)}}}`,
        ),
      ),
      /^(result|unknown|failed) /,
    ],
    [
      'answers a JSON-RPC error with a status of failure',
      atCall((wire, id) => {
        const body = `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":"no disk"}}`;
        wire.write(`HTTP/1.1 500 x\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      }),
      /no disk/,
    ],
    [
      'redirects to another origin',
      atCall((wire) =>
        wire.write('HTTP/1.1 307 x\r\nlocation: http://127.0.0.1:9/x\r\ncontent-length: 0\r\n\r\n'),
      ),
      /redirects \(307\) to http:\/\/127\.0\.0\.1:9\/x; this is not followed/,
    ],
    [
      'redirects in a circle',
      atCall((wire) => wire.write('HTTP/1.1 307 x\r\nlocation: /mcp\r\ncontent-length: 0\r\n\r\n')),
      /redirects \(307\)/,
    ],
  ])(
    '%s',
    async (_name, hostility, says) => {
      const [bad, good] = await outcomeOf(hostility);
      expect(bad).toMatch(says);
      expect(bad.length).toBeLessThan(30_000);
      expect(good).toBe(GOOD);
    },
    ROW_MS,
  );
});

describe.concurrent('an answer in odd clothes is an answer', () => {
  test.each<readonly [string, Hostility, string]>([
    [
      'a JSON-RPC error over an event stream ends the call without a further GET',
      atCall((wire, id) => {
        startStream(wire);
        wire.write(`id: 7\n${event({ jsonrpc: '2.0', id, error: { code: 1, message: 'no' } })}`);
        wire.end();
      }),
      'no (1)',
    ],
    [
      'bytes that are not UTF-8 are replaced',
      atCall((wire, id) => {
        const [before = '', after = ''] = JSON.stringify(textResult(id, 'a|b')).split('|');
        const length = before.length + after.length + 2;
        wire.write(head('application/json', `content-length: ${length}\r\n`));
        wire.write(
          Buffer.concat([Buffer.from(before), Buffer.from([0xff, 0xfe]), Buffer.from(after)]),
        );
      }),
      'a\ufffd\ufffdb',
    ],
    [
      'the second of two answers is nobody’s',
      atCall((wire, id) => {
        startStream(wire);
        wire.write(event(textResult(id, 'first')));
        wire.write(event(textResult(id, 'second')));
        wire.end();
      }),
      'first',
    ],
    [
      'answers to what was never asked are passed over',
      atCall((wire, id) => {
        startStream(wire);
        for (const other of [77, 'x', null, id === 1 ? 2 : 1]) {
          wire.write(event(textResult(other, 'stray')));
        }
        wire.write(event(textResult(id, 'mine')));
        wire.end();
      }),
      'mine',
    ],
    [
      'a batch of one is taken apart',
      atCall((wire, id) => reply(wire, JSON.stringify([textResult(id, 'batched')]))),
      'batched',
    ],
    [
      'requests of the server in the stream do not disturb it',
      atCall((wire, id) => {
        startStream(wire);
        wire.write(event({ jsonrpc: '2.0', id: 'srv-1', method: 'no/such' }));
        wire.write(event({ jsonrpc: '2.0', method: 'notifications/unheard' }));
        wire.write(event(textResult(id, 'after all')));
        wire.end();
      }),
      'after all',
    ],
    [
      'a stream that goes on after the answer is left',
      atCall((wire, id) => {
        startStream(wire);
        wire.write(event(textResult(id, 'enough')));
        wire.drip(': more\n', 20);
      }),
      'enough',
    ],
  ])(
    '%s',
    async (_name, hostility, says) => {
      const [bad, good] = await outcomeOf(hostility);
      expect([bad.includes(says), good]).toEqual([true, GOOD]);
    },
    ROW_MS,
  );
});

describe.concurrent('a server that spoils the start', () => {
  test.each<readonly [string, Hostility, RegExp]>([
    ['stays silent', () => true, /within 1500ms \(timeout\.connect\)/],
    [
      'dribbles its headers',
      (_request, wire) => {
        wire.write('HTTP/1.1 200 OK\r\n');
        wire.drip('x-more: 1\r\n', 50);
        return true;
      },
      /within 1500ms \(timeout\.connect\)/,
    ],
    [
      'dribbles its tool list',
      ({ method }, wire) => {
        if (method !== 'tools/list') return false;
        wire.write(head('application/json', 'content-length: 100000\r\n'));
        wire.drip(' ', 50);
        return true;
      },
      /tools\/list within 1500ms \(timeout\.connect\)/,
    ],
    [
      'serves a web page',
      (_request, wire) => {
        reply(wire, '<html>', 'content-type: text/html');
        return true;
      },
      /did not answer initialize/,
    ],
    [
      'redirects to another origin',
      (_request, wire) => {
        wire.write('HTTP/1.1 302 x\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\n\r\n');
        return true;
      },
      /redirects \(302\) to http:\/\/127\.0\.0\.1:9\/; this is not followed/,
    ],
  ])(
    '%s',
    async (_name, hostility, says) => {
      const work = async (scene: Scene) => {
        const bad = scene.report.servers.find(({ name }) => name === 'bad');
        expect(bad?.error?.message).toMatch(says);
        expect(told(await call(scene, 'good/echo'))).toBe(GOOD);
      };
      await withScene(hostility, work, says.source.includes('connect') ? SHORT : CLOCKS);
    },
    ROW_MS,
  );
});

describe.concurrent('what a server cannot make us do', () => {
  test(
    'ask again in a hot loop, for calls or for the stream of its own',
    async () => {
      const work = async (scene: Scene, server: HostileServer) => {
        await call(scene, 'bad/echo');
        // 1500 ms for two streams, at no more than ten a second each.
        expect(server.log().filter((name) => name === 'GET').length).toBeLessThan(36);
      };
      await withScene(resuming('retry: 0\n'), work, SHORT);
    },
    ROW_MS,
  );

  test(
    'go on after the end: no timer and no connection is left',
    async () => {
      await using server = await startHostile(resuming('retry: 5000\n'));
      const { clock, pending } = countingClock();
      const yaml = `servers:\n${httpEntry('bad', server.url, SHORT)}`;
      const scene = await openScene({ yaml, clock });
      await call(scene, 'bad/echo');
      // The stream may just be open; the pause after it comes.
      await until(() => pending() > 0);
      await scene[Symbol.asyncDispose]();
      expect(pending()).toBe(0);
    },
    ROW_MS,
  );

  test(
    'take over its session id from an answer, or keep cookies',
    async () => {
      const hostility: Hostility = ({ method, message }, wire) => {
        if (method === 'initialize' || message['id'] === undefined) return false;
        const id = message['id'];
        const evil =
          'mcp-session-id: EVIL\r\nset-cookie: track=me; Path=/\r\ncontent-type: application/json';
        if (method === 'tools/list') return false;
        reply(wire, JSON.stringify(textResult(id, 'ok')), evil);
        return true;
      };
      await withScene(hostility, async (scene, server) => {
        await call(scene, 'bad/echo');
        await call(scene, 'bad/echo');
        const { headers } = server.requests.at(-1) ?? {};
        expect([headers?.['mcp-session-id'], headers?.['cookie']]).toEqual([undefined, undefined]);
      });
    },
    ROW_MS,
  );

  test(
    'take over its session id from an error',
    async () => {
      let calls = 0;
      const hostility = atCall((wire, id) => {
        calls += 1;
        const body = `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":"no"}}`;
        const headers = `mcp-session-id: EVIL\r\ncontent-length: ${body.length}`;
        wire.write(`HTTP/1.1 ${calls === 1 ? 400 : 200} x\r\n${headers}\r\n\r\n${body}`);
      });
      await withScene(hostility, async (scene, server) => {
        for (let turn = 0; turn < 3; turn += 1) await call(scene, 'bad/echo');
        const ids = server.requests.map(({ headers }) => headers['mcp-session-id']);
        expect(ids.filter((id) => id !== undefined)).toEqual([]);
      });
    },
    ROW_MS,
  );

  test(
    'slow down one call by the pause that it asks of another',
    async () => {
      const pauses = ['1000000000', '100'];
      const waiting = new Map<string, unknown>();
      const hostility: Hostility = ({ method, verb, message, headers }, wire) => {
        const last = headers['last-event-id'];
        if (method !== 'tools/call' && last === undefined) return false;
        startStream(wire);
        if (verb === 'GET') wire.write(event(textResult(waiting.get(String(last)), 'resumed')));
        else {
          const pause = pauses[waiting.size] ?? '100';
          waiting.set(`e${pause}`, message['id']);
          wire.write(`id: e${pause}\nretry: ${pause}\ndata:\n\n`);
        }
        wire.end();
        return true;
      };
      const work = async (scene: Scene) => {
        const control = new AbortController();
        const slow = call(scene, 'bad/echo', control.signal);
        // Which of two calls at once comes first is not ours to say.
        await until(() => waiting.size === 1);
        const quick = told(await call(scene, 'bad/echo'));
        control.abort();
        expect([quick.includes('resumed'), (await slow).kind]).toEqual([true, 'cancelled']);
      };
      await withScene(hostility, work);
    },
    ROW_MS,
  );

  test(
    'read our credentials out of an error text',
    async () => {
      const hostility: Hostility = atCall((wire, _id, request) => {
        const body = `${request.headers['authorization']} ${'long '.repeat(MIB)}`;
        wire.write(`HTTP/1.1 500 x\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      });
      await using server = await startHostile(hostility);
      const auth = ', auth: {type: bearer, tokenEnv: TOKEN}';
      await using scene = await openScene({
        yaml: `servers:\n${httpEntry('bad', server.url, CLOCKS + auth)}`,
        env: { TOKEN: 'canary-of-the-token' },
      });
      const text = told(await call(scene, 'bad/echo'));
      expect(text).toContain('HTTP 500');
      expect(text).not.toContain('canary-of-the-token');
      expect(text.length).toBeLessThan(2000);
    },
    ROW_MS,
  );

  test(
    'see credentials at another origin',
    async () => {
      await using other = await startHostile(() => false);
      const hostility: Hostility = (_request, wire) => {
        const to = `location: ${other.url}\r\ncontent-length: 0\r\n\r\n`;
        wire.write(`HTTP/1.1 308 x\r\n${to}`);
        return true;
      };
      await withScene(hostility, async () => {
        expect(other.requests).toEqual([]);
      });
    },
    ROW_MS,
  );

  test(
    'keep a POST open that was given up',
    async () => {
      const { promise: posted, resolve: onPost } = Promise.withResolvers<Wire>();
      const hostility = atCall((wire) => {
        startStream(wire);
        onPost(wire);
      });
      await withScene(hostility, async (scene) => {
        const control = new AbortController();
        const running = call(scene, 'bad/echo', control.signal);
        const wire = await posted;
        control.abort();
        expect((await running).kind).toBe('cancelled');
        await wire.closed;
      });
    },
    ROW_MS,
  );

  test(
    'stop calls by refusing or flooding the stream of its own',
    async () => {
      const refusing: Hostility = ({ verb }, wire) => {
        if (verb !== 'GET') return false;
        wire.write('HTTP/1.1 401 x\r\ncontent-length: 0\r\n\r\n');
        return true;
      };
      const flooding: Hostility = ({ verb }, wire) => {
        if (verb !== 'GET') return false;
        startStream(wire);
        const change = event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
        const ask = event({ jsonrpc: '2.0', id: 'q', method: 'ping' });
        wire.write(change.repeat(5000) + ask.repeat(50));
        return true;
      };
      for (const hostility of [refusing, flooding]) {
        expect(await outcomeOf(hostility)).toEqual([GOOD, GOOD]);
      }
    },
    ROW_MS,
  );

  test(
    'leave a forgotten session as it is: one new handshake, and the call once more',
    async () => {
      let handshakes = 0;
      const hostility: Hostility = ({ method, headers, message }, wire) => {
        if (method === 'initialize') {
          handshakes += 1;
          const result = {
            protocolVersion: '2025-11-25',
            capabilities: { tools: {} },
            serverInfo: { name: 'x', version: '1' },
          };
          const body = JSON.stringify({ jsonrpc: '2.0', id: message['id'], result });
          reply(wire, body, `content-type: application/json\r\nmcp-session-id: s${handshakes}`);
          return true;
        }
        if (method !== 'tools/call' || headers['mcp-session-id'] !== 's1') return false;
        wire.write('HTTP/1.1 404 x\r\ncontent-length: 0\r\n\r\n');
        return true;
      };
      await withScene(hostility, async (scene, server) => {
        expect(told(await call(scene, 'bad/echo'))).toBe(GOOD);
        expect(handshakes).toBe(2);
        expect(server.log().filter((name) => name === 'tools/call')).toHaveLength(2);
        await scene.host.close();
        // The listening GET may be under way still; only the new session is there to be ended.
        const isEnd = ({ verb }: HostileRequest) => verb === 'DELETE';
        await until(() => server.requests.some(isEnd));
        const ended = server.requests.filter(isEnd);
        expect(ended.map(({ headers }) => headers['mcp-session-id'])).toEqual(['s2']);
      });
    },
    ROW_MS,
  );

  test(
    'open the stream of its own for a mere listing',
    async () => {
      await withScene(
        () => false,
        async (scene, server) => {
          await scene.host.close();
          expect(server.log()).not.toContain('GET');
        },
      );
    },
    ROW_MS,
  );

  test(
    'get a configured header of the protocol twice',
    async () => {
      const more = `${CLOCKS}, headers: {ACCEPT: text/html}`;
      await withScene(
        () => false,
        async (_scene, server) => {
          const asked = server.requests.find(({ method }) => method === 'initialize');
          expect(asked?.headers['accept']).toBe('application/json, text/event-stream');
        },
        more,
      );
    },
    ROW_MS,
  );
});

/** Real time; tells how many timers wait. */
function countingClock(): { readonly clock: Clock; readonly pending: () => number } {
  const waiting = new Set<object>();
  const clock: Clock = {
    ...systemClock,
    after(delayMs, action) {
      const entry = {};
      waiting.add(entry);
      const timer = systemClock.after(delayMs, () => {
        waiting.delete(entry);
        action();
      });
      return {
        cancel() {
          waiting.delete(entry);
          timer.cancel();
        },
      };
    },
  };
  return { clock, pending: () => waiting.size };
}
