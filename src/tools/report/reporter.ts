import type { Reporter } from '../../emulator/emulator.js'
import { harOf } from './har.js'
import { PAGE_POLICY } from './page.js'
import { reportPage } from './report-page.js'

/** Writes the reports of emulators. It is loaded with the first report. */
export const reporter: Reporter = { report: reportPage, har: harOf, policy: PAGE_POLICY }
