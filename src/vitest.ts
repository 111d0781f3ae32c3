/**
 * Gives each Vitest test an emulator and a webhook sink. The import also adds matchers to `expect`:
 * `docs/reference/api/jest.md` lists them.
 *
 * @packageDocumentation
 */

import './base/text/web-globals.js'
export {
  type EmulatorFixtures,
  /** Vitest's `expect`, with the matchers of `docs/reference/api/jest.md`. */
  expect,
  test,
  it,
} from './runners/vitest.js'
