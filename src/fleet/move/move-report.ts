/** A run that is on its way to another machine. */
export interface MoveReport {
  readonly run: string;
  /** Where it is, or was last. */
  readonly from: string | null;
  readonly to: string;
  /** Whether a machine has it now and finishes its iteration first. */
  readonly isAtWork: boolean;
}
