import { describe, expect, test } from 'bun:test';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { FailedError, LimitError } from '../../src/base/errors.ts';
import {
  errorCode,
  fileReason,
  isMissing,
  readBounded,
  readBoundedOrPipe,
  writeAtomic,
} from '../../src/base/files.ts';
import { newFolder } from '../helpers/places.ts';

function thrown(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe('readBounded', () => {
  test('reads up to the bound, and not a byte more', async () => {
    const path = join(newFolder(), 'file');
    const bytes = new Uint8Array(200_000).map((_, index) => index % 251);
    writeFileSync(path, bytes);
    expect(Buffer.compare(readBounded(path, 200_000), bytes)).toBe(0);
    expect(Buffer.compare(await readBoundedOrPipe(path, 200_000), bytes)).toBe(0);
    const error = thrown(() => readBounded(path, 199_999));
    expect(error).toBeInstanceOf(LimitError);
    expect(error).toMatchObject({
      message: `${path} is larger than 199999 bytes`,
      details: { limit: 'file size', maxBytes: 199_999 },
    });
    await expect(readBoundedOrPipe(path, 10)).rejects.toBeInstanceOf(LimitError);
    expect(thrown(() => readBounded('/dev/zero', 100_000))).toBeInstanceOf(LimitError);
  });

  test('passes the error of the system through', () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'file'), '');
    const paths = [folder, join(folder, 'no'), join(folder, 'file/no')];
    const errors = paths.map((path) => thrown(() => readBounded(path, 10)));
    expect(errors.map(errorCode)).toEqual(['EISDIR', 'ENOENT', 'ENOTDIR']);
    expect(errors.map(isMissing)).toEqual([false, true, true]);
    expect([errorCode('text'), errorCode(new Error('x')), isMissing(undefined)]).toEqual([
      undefined,
      undefined,
      false,
    ]);
  });

  test('a pipe nobody writes to ends at its limit', async () => {
    const pipe = join(newFolder(), 'pipe');
    expect(Bun.spawnSync(['mkfifo', pipe]).exitCode).toBe(0);
    const holder = Bun.spawn(['sh', '-c', 'exec 3<>pipe; echo ready; read -r line'], {
      cwd: join(pipe, '..'),
      stdin: 'pipe',
      stdout: 'pipe',
    });
    await holder.stdout.getReader().read();
    let time = 0;
    const clock = {
      now: () => time,
      date: () => new Date(0),
      after(delayMs: number, action: () => void) {
        time += delayMs;
        queueMicrotask(action);
        return { cancel: () => undefined };
      },
    };
    const error = await readBoundedOrPipe(pipe, 10, clock).catch((reason: unknown) => reason);
    holder.stdin.end();
    await holder.exited;
    expect(error).toMatchObject({
      message: `${pipe}: nothing came within 10s`,
      details: { limit: 'pipe wait' },
    });
    expect(time).toBe(10_000);
  });
});

describe('writeAtomic', () => {
  test('replaces the whole file, mode 0600, missing folders 0700, nothing left beside it', () => {
    const folder = newFolder();
    const path = join(folder, 'a/b/file');
    writeAtomic(path, 'first, which is longer');
    writeAtomic(path, new TextEncoder().encode('second'));
    expect({
      text: readFileSync(path, 'utf8'),
      files: readdirSync(join(folder, 'a/b')),
      modes: [path, join(folder, 'a'), join(folder, 'a/b')].map(
        (one) => statSync(one).mode & 0o777,
      ),
    }).toEqual({ text: 'second', files: ['file'], modes: [0o600, 0o700, 0o700] });
  });

  test('tightens the mode of a file that was open to others, or takes the given one', () => {
    const path = join(newFolder(), 'file');
    writeFileSync(path, 'x', { mode: 0o666 });
    writeAtomic(path, 'y');
    const tightened = statSync(path).mode & 0o777;
    writeAtomic(path, 'z', 0o644);
    expect([tightened, statSync(path).mode & 0o777]).toEqual([0o600, 0o644]);
  });

  test('refuses a symlink and leaves its target alone', () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'target'), 'old');
    symlinkSync('target', join(folder, 'link'));
    symlinkSync('nowhere', join(folder, 'dangling'));
    for (const name of ['link', 'dangling']) {
      const error = thrown(() => writeAtomic(join(folder, name), 'new'));
      expect(error).toBeInstanceOf(FailedError);
      expect(error).toMatchObject({
        message: `${join(folder, name)} is a symlink and is not written to`,
      });
    }
    expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('old');
    expect(readdirSync(folder).sort()).toEqual(['dangling', 'link', 'target']);
  });

  test('leaves no temporary file when the rename fails', () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'taken/full'), { recursive: true });
    expect(errorCode(thrown(() => writeAtomic(join(folder, 'taken'), 'x')))).toBe('EISDIR');
    expect(readdirSync(folder)).toEqual(['taken']);
  });
});

test('the reason of a failure is in plain words, the rest as the system says it', () => {
  const failure = (code: string) => Object.assign(new Error(`${code}: told, open '/x'`), { code });
  expect([
    fileReason(failure('ENOSPC')),
    fileReason(failure('EACCES')),
    fileReason(failure('EIO')),
    fileReason('odd'),
  ]).toEqual(['no space left on the device', 'no permission', "EIO: told, open '/x'", 'odd']);
});
