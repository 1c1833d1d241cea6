/** The message for a used-up allowance, in Claude's words. */
export function limitText(resetsAt: Date | null): string {
  const when = resetsAt === null ? '' : ` · resets ${clockTime(resetsAt)} (UTC)`;
  return `You've hit your 5-hour limit${when}`;
}

function clockTime(date: Date): string {
  const hours = date.getUTCHours();
  const minutes = String(date.getUTCMinutes()).padStart(2, '0');
  return `${hours % 12 === 0 ? 12 : hours % 12}:${minutes}${hours < 12 ? 'am' : 'pm'}`;
}
