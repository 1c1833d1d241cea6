import { describe, expect, it } from 'vitest';
import type { AccountAdmission, AccountUse } from '../../src/accounts/index.js';

/** An admission, and the events that can affect it. */
export interface AdmissionWorld extends AsyncDisposable {
  readonly admission: AccountAdmission;
  readonly use: AccountUse;
  /** A run is refused until a reset. */
  limit(): Promise<void>;
  passReset(): Promise<void>;
  /** That run is the first to try again. */
  tryFirst(): Promise<void>;
  /** Its try is answered. */
  open(): Promise<void>;
  /** It turns to something else. */
  leave(): Promise<void>;
  /** The daily budget is used up. */
  spend(): Promise<void>;
  passDay(): Promise<void>;
}

/** What every admission must do, whatever it is stored in. */
export function admissionContract(name: string, open: () => Promise<AdmissionWorld>): void {
  describe(`an admission ${name}`, () => {
    it('lets runs begin while nothing is known against it', async () => {
      await using world = await open();
      expect(world.admission.standing(world.use)).toEqual({ may: true });
    });

    it('says why and until when a limit keeps them', async () => {
      await using world = await open();
      await world.limit();
      expect(world.admission.standing(world.use)).toEqual({
        may: false,
        reason: expect.stringMatching(/^the 5h limit of the account \w+ is used up$/),
        until: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      });
    });

    it('keeps them behind the run that tries first after the reset, until it was answered', async () => {
      await using world = await open();
      await world.limit();
      await world.passReset();
      await world.tryFirst();
      expect(world.admission.standing(world.use)).toMatchObject({ may: false });
      await world.open();
      expect(world.admission.standing(world.use)).toEqual({ may: true });
    });

    it('lets one begin after the reset where nobody is ahead: it tries first itself', async () => {
      await using world = await open();
      await world.limit();
      await world.leave();
      await world.passReset();
      expect(world.admission.standing(world.use)).toEqual({ may: true });
    });

    it('says when the daily budget is used up, and lets them begin on the next one', async () => {
      await using world = await open();
      await world.spend();
      expect(world.admission.standing(world.use)).toEqual({
        may: false,
        reason: 'the daily budget is used up: $5.00 of $5.00',
        until: expect.any(String),
      });
      await world.passDay();
      expect(world.admission.standing(world.use)).toEqual({ may: true });
    });
  });
}
