import type { Fault } from '../../models/inbox/index.js';

const WORDS = {
  'no-words': 'Type your own words, or choose an option instead.',
  'nothing-chosen': 'Choose one, or answer in your own words.',
  'none-not-confirmed': 'Choose some with Space, or press Enter again to choose none.',
  unread: 'Read to the end first: PgDn.',
} as const;

/** What prevents an answer from being given, and which key helps. */
export function faultInWords(fault: Fault): string {
  return typeof fault === 'string' ? WORDS[fault] : fault.refused;
}
