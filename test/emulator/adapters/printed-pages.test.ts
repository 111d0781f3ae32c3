import { describe, expect, it } from 'vitest'
import { listening } from './listening.js'

/** Asks the port of an emulator for a page, as a browser or as a client. */
async function ask(path: string, accept = 'text/html,application/xhtml+xml') {
  const { emulator } = await listening()
  const { origin } = new URL(emulator.trainingUrl)
  const answer = await fetch(origin + path, { redirect: 'manual', headers: { accept } })
  return [answer.status, answer.headers.get('location')]
}

describe('an address that a client prints', () => {
  it.each([
    ['/local-team/verse/runs/poem', 'runs/local-team%2Fverse%2Fpoem'],
    ['/local-team/verse/runs/a%20b?nw=1', 'runs/local-team%2Fverse%2Fa%20b'],
    ['/local-team/verse', 'runs'],
    ['/local-team/verse/workspace', 'runs'],
    ['/local-team/artifacts-of-verse', 'runs'],
    ['/local-team/artifacts', 'runs'],
    ['/local-team/verse/artifacts/dataset/rows/v1', 'artifacts/local-team%2Fverse%2Frows%3Av1'],
    ['/local-team/verse/artifacts/dataset/rows', 'artifacts/local-team%2Fverse%2Frows%3Alatest'],
    ['/local-team/verse/artifacts', 'artifacts'],
  ])('%s leads a browser to the dashboard', async (path, page) => {
    expect(await ask(path)).toEqual([302, `/_emulator/#/${page}`])
  })

  it('is nothing for a client that is no browser', async () => {
    expect(await ask('/local-team/verse/runs/poem', '*/*')).toEqual([404, null])
  })

  it.each([
    '/v1/health',
    '/storage/main',
    '/files/a',
    '/_emulator/ready',
    '/favicon.ico',
    '/',
    '/a',
  ])('%s is not one', async (path) => {
    const [, location] = await ask(path)
    expect(location).toBeNull()
  })
})
