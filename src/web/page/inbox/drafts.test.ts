import { describe, expect, it } from 'vitest';
import { draftAnswer as answer, cardOf } from '../../../../test/support/page-world.js';
import { type CardDraft, hasWords, mergedDraft } from './drafts.js';

const draftOf = (text: string): CardDraft => ({
  questionIndex: 0,
  answers: [answer({ isOther: text !== '', text })],
  rejectionReason: '',
});
const kept = (text: string, isSaved: boolean) => ({ draft: draftOf(text), atMs: 1, isSaved });
const textIn = ({ draft, origin }: ReturnType<typeof mergedDraft>) => [draft.answers[0]?.text, origin];

describe('the draft a person continues with', () => {
  it('is empty if none was begun', () => {
    expect(textIn(mergedDraft(cardOf(1), null))).toEqual(['', 'none']);
  });

  it('is what the server has, from another screen', () => {
    expect(textIn(mergedDraft(cardOf(1, {}, draftOf('there')), null))).toEqual(['there', 'elsewhere']);
    expect(textIn(mergedDraft(cardOf(1, {}, draftOf('there')), kept('here', true)))).toEqual([
      'there',
      'elsewhere',
    ]);
  });

  it('is what only this browser has, whatever the server says: it was typed while offline', () => {
    expect(textIn(mergedDraft(cardOf(1, {}, draftOf('there')), kept('here', false)))).toEqual([
      'here',
      'here',
    ]);
    expect(textIn(mergedDraft(cardOf(1), kept('here', true)))).toEqual(['here', 'here']);
  });

  it('is its own if the server has the same', () => {
    expect(textIn(mergedDraft(cardOf(1, {}, draftOf('same')), kept('same', true)))).toEqual(['same', 'here']);
  });

  it('has one answer per question and only labels that exist', () => {
    const draft = {
      questionIndex: 3,
      answers: [answer({ selected: ['SQLite', 'gone'] })],
      rejectionReason: 'no',
    };
    expect(mergedDraft(cardOf(1, {}, draft), null).draft.answers).toEqual([answer({ selected: ['SQLite'] })]);
    expect([hasWords(draft), hasWords(draftOf(''))]).toEqual([true, false]);
  });
});
