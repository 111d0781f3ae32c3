import type { BannerFacts } from '../../src/cli/banner.js'

/** What the banner of a plain start says. */
export const started: BannerFacts = {
  version: '1.2.3',
  pid: 1234,
  trainingUrl: 'http://127.0.0.1:4600/v1',
  inferenceUrl: 'http://127.0.0.1:4601/v1',
  dashboardUrl: 'http://127.0.0.1:4600/_emulator/',
  apiKey: 'any-key',
  controlToken: undefined,
  scenario: { name: 'happy-path', description: 'Everything goes well.' },
  seed: 1,
  clock: { mode: 'real', speed: 1 },
  webhooks: [],
  sinkUrl: undefined,
  notes: [],
}
