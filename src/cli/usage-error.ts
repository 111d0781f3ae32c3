/** Raised where the command line or the environment cannot be used. The command exits with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly code = 'SVTRAIN_USAGE'
}
