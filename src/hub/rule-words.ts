import { visibleExcerpt } from '../foundation/index.js';
import { FleetRuleError } from './errors.js';

/** The rule words of the schema (migrations/), in words for people. */
const RULES: Readonly<Record<string, readonly [reason: string, hint: string]>> = {
  'not-your-machine': [
    'This machine is not in the fleet under this role',
    'Join with it: `holdfast fleet join`.',
  ],
  'name-taken': [
    'Another machine of the fleet has this name',
    'Choose another one: `holdfast fleet join --name <name>`.',
  ],
  'no-such-machine': ['No machine of the fleet has this name', '`holdfast fleet status` lists them.'],
  'id-used': ['A different request has this id already', 'Nothing was stored. Try again.'],
  'home-gone': ['The machine that asks has left the fleet', 'Nobody waits for the answer there any more.'],
  'too-many': [
    'Too many requests are waiting for this machine',
    'Nothing was stored. Start Holdfast there, or remove it: `holdfast fleet remove-machine <name>`.',
  ],
  decided: ['Somebody else decided this first', 'See it with `holdfast questions show <id>`.'],
  fenced: [
    'This machine no longer holds the entry',
    'Another one may have it by now; `holdfast queue list` says which. Nothing was stored.',
  ],
  'no-such-entry': [
    'There is no such entry in the queue of the fleet',
    'See them with `holdfast queue list --all`.',
  ],
  'too-many-entries': [
    'The queue of the fleet is full',
    'Nothing was stored. Remove entries, or queue with --local.',
  ],
  'not-your-entry': [
    'Only the person who queued an entry may change what it runs',
    'Ask them, or queue the plan yourself. Moving, pausing and removing it is open to every person.',
  ],
  'entry-running': ['The entry is running, or is over', 'See it with `holdfast queue show <id>`.'],
  'entry-needed': ['Other entries come after this one', 'Remove those first, or change their --after.'],
  'changed-meanwhile': [
    'Somebody else changed the entry at the same moment',
    'Nothing was stored. Try again.',
  ],
  'not-from-here': [
    'An entry in this state cannot be changed like that',
    'See it with `holdfast queue show <id>`.',
  ],
  'no-such-lease': ['A lease cannot be that long', 'fleet.leaseSeconds is from 2 to 3600.'],
  'holds-runs': [
    'This machine holds runs of the fleet',
    'Let them end, or give them back first: `holdfast fleet leave --hand-over`.',
  ],
  'no-such-run': ['No current run of the fleet has this id', '`holdfast queue list` lists them.'],
  'several-runs': ['Several runs have ids that begin like this', 'Give more of the id.'],
  'is-there': ['The run is on that machine already', 'Nothing was changed.'],
  'holder-lives': [
    'The machine that has the run still gives signs of life',
    'Move it instead: `holdfast fleet move <run> --to <machine>`; or, if that machine is really gone, use --force.',
  ],
  'records-missing': [
    'A checkpoint lacks a part of the conversation',
    'Nothing was stored. It will be sent again.',
  ],
  'no-such-state': ['A request cannot be settled like that', 'Update Holdfast on this machine.'],
};

/** The error for a rule of the schema that said no. */
export function ruleError(rule: string, detail: string): FleetRuleError {
  const [reason, hint] = RULES[rule] ?? [
    `The fleet says no: ${visibleExcerpt(rule, 80)}`,
    'Nothing was stored.',
  ];
  const named = ['name-taken', 'no-such-machine', 'no-such-run', 'several-runs', 'is-there'].includes(rule)
    ? `: ${visibleExcerpt(detail, 80)}`
    : '';
  return new FleetRuleError(rule, `${reason}${named}`, hint, detail);
}
