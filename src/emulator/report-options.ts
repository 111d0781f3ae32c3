import { aFlag, aText, oneOf, Options } from '../base/text/options.js'

/** Whether prompts, messages, completions and trajectories are in a report. */
export type ReportContents = 'shown' | 'redacted'

/** The options of `emulator.report`. */
export interface ReportOptions {
  /** The title of the page. Default: the scenario and the seed. */
  readonly title?: string | undefined
  /** Why you share it, such as the message of a failed test. The page begins with it. */
  readonly failure?: string | undefined
  /**
   * Whether the program came to its end, as before the client checks. If not, a run that it did not finish is no
   * mistake. Default: true without a `failure`.
   */
  readonly ended?: boolean | undefined
  /** The command that runs the same again. Default: how to start the same scenario with the same seed. */
  readonly reproduce?: string | undefined
  /**
   * `redacted` replaces prompts, messages, completions and trajectories by their length. API keys and
   * secrets are never shown. Default: `shown`.
   */
  readonly contents?: ReportContents | undefined
}

const contents = oneOf('shown', 'redacted')

export const reportOptions = new Options<ReportOptions>('report', {
  title: aText,
  failure: aText,
  ended: aFlag,
  reproduce: aText,
  contents,
})

/** The options of `emulator.har`. */
export type HarOptions = Pick<ReportOptions, 'contents'>

export const harOptions = new Options<HarOptions>('har', { contents })
