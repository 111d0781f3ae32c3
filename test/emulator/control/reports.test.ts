import { expect, it } from 'vitest'
import { describeTransports } from '../../support/transports.js'
import { controlledOver } from './control.js'

describeTransports('reports over HTTP', (open) => {
  it('returns the page of a world, which may load nothing', async () => {
    const { emulator, api, client, fetch } = await controlledOver(open)
    await api.get('/preview/nothing')
    const page = await client.report({ title: 'Broken', failure: 'no such path' })
    expect(page).toContain('<title>Broken</title>')
    expect(page).toContain('GET /v1/preview/nothing')
    const url = new URL('/_emulator/report', emulator.trainingUrl)
    const { headers } = await fetch(url)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; .*frame-ancestors 'none'; sandbox$/,
    )
  })

  it('returns the requests as HAR', async () => {
    const { api, client } = await controlledOver(open)
    await api.get('/preview/nothing')
    const { log } = await client.har({ contents: 'redacted' })
    expect(log.entries).toMatchObject([{ request: { method: 'GET' }, response: { status: 404 } }])
  })
})
