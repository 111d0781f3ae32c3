import type { Emulator } from '../../emulator/emulator.js'
import type { Reporter } from '../../emulator/emulator-parts.js'
import { harOf } from './har.js'
import { PAGE_POLICY } from './page.js'
import { reportPage } from './report-page.js'

/** Writes the reports of emulators. It is loaded with the first report. */
export const reporter: Reporter<Emulator> = { report: reportPage, har: harOf, policy: PAGE_POLICY }
