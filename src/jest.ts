/**
 * Matchers for jobs, requests, runs, artifacts and webhooks, for Jest and for other runners with `expect.extend`.
 *
 * @packageDocumentation
 */

export { type EmulatorMatchers, matchers } from './runners/jest.js'
