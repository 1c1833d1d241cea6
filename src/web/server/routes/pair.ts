import * as z from 'zod';
import { checkInput, visibleLine } from '../../../foundation/index.js';
import type { PairingAsked } from '../../contract/index.js';
import { NotPairedError, PairCodeRefusedError, TooManyRequestsError } from '../errors.js';
import { askToPair, claimPairing } from '../files/pairing.js';
import { EVERYBODY, enter, nameOf, refuse, type SignIn } from './sign-in.js';

const Asking = z.strictObject({ code: z.string().max(40), name: z.string().max(400) });
const Claiming = z.strictObject({ ticket: z.string().max(200) });

/** Takes the code that the terminal shows; the device then waits. Throws TOO_MANY_REQUESTS, CODE_REFUSED, INVALID_INPUT. */
export async function askForPairing(request: SignIn): Promise<Response> {
  const { parts, own, address, body } = request;
  const { code, name } = checkInput({ input: Asking }, body);
  // Unlike the code of a link this one is short, so tries are limited.
  if (parts.failures.isOver(EVERYBODY)) throw new TooManyRequestsError('attempts to sign in');
  const facts = { name: nameOf(name), address: visibleLine(address), origin: own.origin };
  const given = askToPair(parts.place, code, facts);
  if (given === undefined) {
    await refuse(parts, address);
    throw new PairCodeRefusedError();
  }
  const told: PairingAsked = given;
  return Response.json(told);
}

/** Signs the device in once the person has said yes. Throws NOT_PAIRED, CODE_REFUSED, INVALID_INPUT. */
export async function claimOfPairing(request: SignIn): Promise<Response> {
  const { parts, own, address, body } = request;
  const { ticket } = checkInput({ input: Claiming }, body);
  const claim = claimPairing(parts.place, ticket, own.origin);
  if (claim?.name === 'waits') return Response.json({ isWaiting: true });
  if (claim?.name === 'declined') throw new NotPairedError('the person at the terminal said no');
  if (claim?.name === 'paired') return enter(request, { can: claim.can, name: claim.device });
  if (parts.failures.isOver(EVERYBODY)) throw new TooManyRequestsError('attempts to sign in');
  await refuse(parts, address);
  throw new PairCodeRefusedError();
}
