// The process that answers while another one waits (PERF-8).
import fs from 'node:fs';
import path from 'node:path';
import { loadOurs, now, serveWorker } from '../lib.mjs';

const ANSWERS = '{"answers":[{"questionIndex":0,"selectedOption":"Yes"}]}';
let visibleAt;
const { openQuestions } = await loadOurs();
const questions = openQuestions(process.argv[2], (added) => {
  if (path.basename(added) === 'answers.json') visibleAt = now();
});

serveWorker(async ({ answer, rename, isWriteIncluded }) => {
  if (answer !== undefined) {
    visibleAt = undefined;
    await questions.answer(answer);
    if (visibleAt === undefined) throw new Error('the answer was not linked into place');
    return { visibleAt };
  }
  fs.writeFileSync(`${rename}.tmp`, ANSWERS);
  const startedAt = now();
  if (isWriteIncluded) fs.writeFileSync(`${rename}.tmp`, ANSWERS);
  fs.renameSync(`${rename}.tmp`, rename);
  return { visibleAt: startedAt };
});
