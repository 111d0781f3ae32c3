import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Command lines that print long texts: help, mistakes, tables, a trace. They run in a folder with these files. */
export const wideLines: readonly (readonly string[])[] = [
  ['--help'],
  ['help'],
  ['exec', '--help'],
  ...[
    '--scenari x --scenario happy-path --another-option-that-nobody-knows value --and-one-more',
    'play long-run',
    'scenarios list',
    'scenarios check bad.yaml',
    'sink verify payload.json --secret s3cret --signature abc',
    'docs',
  ].map((line) => line.split(' ')),
  ['docs', '--search', 'signature secret'],
  ['docs', 'nothing-like-it'],
  ['trace', '--url', 'http://127.0.0.1:9'],
  'exec --isolate api-key --scenario failing-job -- node fail.mjs'.split(' '),
]

export function writeFilesForLines(folder: string): void {
  writeFileSync(join(folder, 'bad.yaml'), `name: mine\ndescriptoin: ${'long '.repeat(50)}\n`)
  writeFileSync(join(folder, 'payload.json'), '{}')
  writeFileSync(
    join(folder, 'fail.mjs'),
    `for (const key of ['ann', 'a-very-long-key-of-ben-that-is-not-shown']) {
      const headers = { authorization: 'Bearer ' + key }
      await fetch(process.env.SVTRAIN_BASE_URL + '/preview/modles/${'a/'.repeat(30)}', { headers })
    }
    process.exit(1)`,
  )
}
