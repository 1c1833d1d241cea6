import { chmodSync, existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loopWorld, PLAN } from '../../../test/support/loop-world.js';

describe('the place of a loop', () => {
  it('is refused if everyone may write there, for creating and for using a loop, unless the user chose it', async () => {
    await using world = await loopWorld({ isPlaceFound: true });
    chmodSync(world.project, 0o777);
    const refusal = { code: 'UNSAFE_PATH', hint: expect.stringContaining('loop.dir') };
    expect(world.loops.get()).toBeUndefined();
    await expect(world.loops.create(PLAN)).rejects.toMatchObject(refusal);
    expect(existsSync(world.directory)).toBe(false);
    using _own = await world.other({ isPlaceFound: false }).create(PLAN);
    expect(() => world.loops.get()).toThrow(expect.objectContaining(refusal));
    chmodSync(world.project, 0o770);
    expect(world.loops.get()).toBeDefined();
  });

  it('that release 0.1 would have used, further up, is named', async () => {
    await using world = await loopWorld({ findAbove: () => '/home/ada/.prp-session' });
    expect(() => world.loops.validate(PLAN)).toThrow(
      expect.objectContaining({
        code: 'LOOP_NOT_FOUND',
        hint: expect.stringContaining(
          'There is one in /home/ada/.prp-session: run the command in /home/ada.',
        ),
      }),
    );
    expect(world.loops.detect(PLAN).warnings).toEqual([
      'There is a loop in /home/ada/.prp-session, which is not used from here; run the command in /home/ada to resume it',
    ]);
    using _own = await world.loops.create(PLAN);
    expect(world.loops.detect(PLAN).warnings).toEqual([]);
  });
});

describe('files of a loop that another process wrote to while it was owned', () => {
  it('do not count, and are logged when they are overwritten', async () => {
    await using world = await loopWorld();
    using loop = await world.loops.create(PLAN);
    loop.pause('lunch');
    const forged = () => world.log.named('loop.files-forged').map(({ fields }) => fields.files);
    expect(forged()).toEqual([]);
    world.write('loop-state.json', { ...world.read('loop-state.json'), status: 'completed' });
    world.write('redo.json', '{}');
    loop.suspend('stop');
    expect(forged()).toEqual([['loop-state.json', 'redo.json']]);
    expect(world.read('loop-state.json').status).toBe('suspended');
  });
});
