/** A run that is on its way to another machine. */
export interface MoveReport {
  readonly run: string;
  /** Where it is, or was last. */
  readonly from: string | null;
  readonly to: string;
  /** Whether a machine has it now, which brings its iteration to the end first. */
  readonly isAtWork: boolean;
}
