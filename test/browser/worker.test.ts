import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, it, onTestFinished } from 'vitest'
import { describeInBrowser } from './browser-of-suite.js'
import type { Seen } from './page.js'
import { served } from '../support/served.js'

const root = join(import.meta.dirname, '..', '..')

/** The page's code, with that MSW in it, as a user's bundler would make it. */
async function bundle(msw: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'page.ts')],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'esm',
    alias: { msw },
    logLevel: 'silent',
  })
  return outputFiles[0]!.text
}

/** Serves an empty page, its code, and the worker script of MSW. */
async function serve(msw: string): Promise<string> {
  const worker = join(root, 'node_modules', msw, 'lib', 'mockServiceWorker.js')
  const files: Record<string, [type: string, text: string]> = {
    '/': ['text/html', '<!doctype html><script type="module" src="/page.js"></script>'],
    '/page.js': ['text/javascript', await bundle(msw)],
    '/mockServiceWorker.js': ['text/javascript', await readFile(worker, 'utf8')],
  }
  return served(({ url = '/' }, response) => {
    const [type, text] = files[url] ?? ['text/plain', undefined]
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': type })
    response.end(text)
  })
}

describeInBrowser('in Chromium', (browser) => {
  it.each(['msw', 'msw-3'])('a page trains a model through the worker of %s', async (msw) => {
    const url = await serve(msw)
    const context = await browser().newContext()
    onTestFinished(() => context.close())
    const page = await context.newPage()
    const errors: Error[] = []
    page.on('pageerror', (error) => errors.push(error))
    await page.goto(url)
    const seen = await page.evaluate(() => (globalThis as unknown as { run: () => Seen }).run())
    expect(errors).toEqual([])
    expect(seen).toMatchObject({
      types: ['training_started', 'gradient_step', 'gradient_step', 'training_ended'],
      chat: expect.stringMatching(/^data: \{.*data: \[DONE\]\n\n$/s),
      byXhr: 200,
      lost: 'TypeError',
    })
    expect(seen.requests).toBeGreaterThan(6)
  })
})
