/**
 * Matchers for jobs, requests, runs, artifacts and webhooks, for Jest and for other runners with `expect.extend`.
 *
 * @packageDocumentation
 */

import './base/text/web-globals.js'
export { type EmulatorMatchers, matchers } from './runners/jest.js'
