import { describe, expect, test } from 'bun:test';
import { createPool } from '../../src/base/pool.ts';

const never = new AbortController().signal;

describe('pool', () => {
  test('gives places in the order of asking, each back once', async () => {
    const pool = createPool(1);
    const order: string[] = [];
    const release = await pool.take(never);
    const second = pool.take(never).then((give) => {
      order.push('second');
      return give;
    });
    const third = pool.take(never).then((give) => {
      order.push('third');
      return give;
    });
    release();
    release();
    const giveSecond = await second;
    expect(order).toEqual(['second']);
    giveSecond();
    await third;
    expect(order).toEqual(['second', 'third']);
  });

  test('forgets who stops waiting', async () => {
    const pool = createPool(1);
    const release = await pool.take(never);
    const control = new AbortController();
    const gone = pool.take(control.signal);
    const next = pool.take(never);
    control.abort(new Error('enough'));
    await expect(gone).rejects.toThrow('enough');
    release();
    (await next)();
    await expect(pool.take(control.signal)).rejects.toThrow('enough');
  });
});
