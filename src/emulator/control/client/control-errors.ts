import { COMMAND } from '../../../base/text/command.js'
import { EmulatorError } from '../../../base/text/emulator-error.js'

/** Thrown when the emulator refuses a call. Code `SVTRAIN_CONTROL_REFUSED`. */
export class ControlError extends EmulatorError {
  override readonly name = 'ControlError'
  readonly code = 'SVTRAIN_CONTROL_REFUSED'
  /** 400: a wrong value. 401: the token. 403: the caller. 404: no such thing. 409: not possible now. */
  readonly status: number
  /**
   * What the emulator said.
   *
   * @internal
   */
  readonly detail: string
  constructor(call: string, status: number, detail: string) {
    super(`Failed to ${call}: ${detail} (status ${status})`)
    this.status = status
    this.detail = detail
  }
}

/** Thrown when no emulator answers. Code `SVTRAIN_UNREACHABLE`. */
export class UnreachableError extends EmulatorError {
  override readonly name = 'UnreachableError'
  readonly code = 'SVTRAIN_UNREACHABLE'
  /** @param found What answers there instead. */
  constructor(url: string, { cause, found }: { cause?: unknown; found?: string }) {
    const what = found ?? 'Is it running, and is this its training port?'
    super(`Failed to reach an emulator at ${url}. ${what} Start one with: ${COMMAND}`, { cause })
  }
}
