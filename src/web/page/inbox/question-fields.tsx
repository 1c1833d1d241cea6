import { visibleLabel } from '../../../foundation/text/visible-text.js';
import { EMPTY_ANSWER, recommendedIndex } from '../../../models/inbox/index.js';
import type { Card } from '../../contract/index.js';
import { usePage } from '../page-context.js';
import { Prompt, Words } from '../prompt.js';
import { faultWords } from '../words.js';
import type { Work } from './card-desk.js';

const RECOMMENDED = /\s*[([]\s*(recommended|추천)\s*[)\]]/i;

/** For browsers in which a field does not grow with its text. */
function rowsOf(text: string): number {
  const lines = text.split('\n').reduce((sum, line) => sum + 1 + Math.floor(line.length / 48), 0);
  return Math.min(8, lines);
}

/** One question of a set: its text, its choices and a field for own words, as the browser's own controls. */
export function QuestionFields({ card, work, index }: { card: Card; work: Work; index: number }) {
  const { desk, store } = usePage();
  const { sessionId, questions } = card.set;
  const question = questions[index];
  if (question === undefined) return null;
  const given = work.draft.value.answers[index] ?? EMPTY_ANSWER;
  const fault = work.faults.value.get(index);
  const type = question.multiSelect === true ? 'checkbox' : 'radio';
  const name = `${sessionId}-${index}`;
  const recommended = recommendedIndex(question);
  const describedBy = `${name}-prompt${fault === undefined ? '' : ` ${name}-fault`}`;
  return (
    <fieldset
      class="question"
      aria-describedby={describedBy}
      id={`${name}-question`}
      disabled={store.state.value.me?.can === 'view'}
    >
      <legend>
        {questions.length > 1 ? <span class="number">{index + 1}. </span> : null}
        <Words text={question.title} />
      </legend>
      <Prompt text={question.prompt} id={`${name}-prompt`} />
      {question.multiSelect === true ? <p class="hint">Choose any number.</p> : null}
      <div class="options">
        {question.options.map(({ label, description }, at) => (
          <label class="option" key={label}>
            <input
              type={type}
              name={name}
              data-key="option"
              checked={given.selected.includes(label)}
              onChange={() => desk.choose(card, index, label)}
            />
            <span class="option-words">
              <span class="option-label">
                <Words text={at === recommended ? label.replace(RECOMMENDED, '') : label} />
                {at === recommended ? <span class="badge">recommended</span> : null}
              </span>
              {description === undefined || description === '' ? null : (
                <span class="option-description">
                  <Words text={description} />
                </span>
              )}
            </span>
          </label>
        ))}
        <div class="option other">
          <label class="other-label">
            <input
              type={type}
              name={name}
              data-key="option"
              checked={given.isOther}
              onChange={(event) => desk.takeOwnWords(card, index, event.currentTarget.checked)}
            />
            <span class="hidden">Own words</span>
          </label>
          <textarea
            rows={rowsOf(given.text)}
            dir="auto"
            data-key="other"
            placeholder="Own words"
            aria-label={`Own words for ${visibleLabel(question.title)}`}
            value={given.text}
            onInput={(event) => desk.write(card, index, event.currentTarget.value)}
          />
        </div>
      </div>
      {fault === undefined ? null : (
        <p class="fault" id={`${name}-fault`}>
          {faultWords(fault)}
        </p>
      )}
    </fieldset>
  );
}
