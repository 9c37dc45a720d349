import { expect, test } from 'bun:test';
import { type FdPort, openFdWriter } from '../../src/base/fd-writer.ts';

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** Takes at most `take` bytes a time; every second attempt is refused for now. */
function slowPipe(take: number) {
  const taken: number[] = [];
  let attempts = 0;
  const port: FdPort = {
    now: undefined,
    later: (bytes) => {
      attempts += 1;
      if (attempts % 2 === 0)
        return Promise.reject(systemError(attempts % 4 === 0 ? 'EINTR' : 'EAGAIN'));
      const piece = bytes.subarray(0, take);
      taken.push(...piece);
      return Promise.resolve(piece.length);
    },
  };
  return { port, text: () => new TextDecoder().decode(Uint8Array.from(taken)) };
}

test('partial writes, EAGAIN and EINTR lose nothing and keep the order', async () => {
  const pipe = slowPipe(3);
  const writer = openFdWriter(pipe.port);
  writer.write('grüße, ');
  writer.write('world');
  expect(writer.pendingBytes()).toBe(14);
  await writer.flush();
  expect([pipe.text(), writer.pendingBytes(), writer.error()]).toEqual([
    'grüße, world',
    0,
    undefined,
  ]);
});

test('what fits is written at once, the rest later and before what follows', async () => {
  const order: string[] = [];
  let room = 4;
  const writer = openFdWriter({
    now(bytes) {
      if (room === 0) throw systemError('EAGAIN');
      const piece = bytes.subarray(0, room);
      room -= piece.length;
      order.push(`now ${new TextDecoder().decode(piece)}`);
      return piece.length;
    },
    later(bytes) {
      order.push(`later ${new TextDecoder().decode(bytes)}`);
      return Promise.resolve(bytes.length);
    },
  });
  writer.write('abcdef');
  room = 100;
  writer.write('ghi');
  await writer.flush();
  expect(order).toEqual(['now abcd', 'later ef', 'later ghi']);
});

test.each(['EPIPE', 'ENOSPC'])('%s is told once and ends all writing', async (code) => {
  const told: (string | undefined)[] = [];
  let attempts = 0;
  const later = () => {
    attempts += 1;
    return Promise.reject(systemError(code));
  };
  const writer = openFdWriter({ now: undefined, later }, (error) => told.push(error.code));
  writer.write('a');
  writer.write('b');
  await writer.flush();
  writer.write('c');
  await writer.flush();
  expect({ told, attempts, error: writer.error()?.code, pending: writer.pendingBytes() }).toEqual({
    told: [code],
    attempts: 1,
    error: code,
    pending: 0,
  });
});
