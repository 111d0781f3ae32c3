/**
 * Builds dist/ if it is not up to date. The build goes to a temporary folder, and its files move to dist/
 * when all of them are there. So an interrupted build leaves dist/ as it was.
 *
 * With --release, no file of an earlier build stays in dist/, because the package contains that folder.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle.js'
import { generate } from './generate.js'
import { bytesAtStart } from './loaded-files.js'
import { leavePublicTypes } from './public-types.js'
import { publish, removeRetired } from './publish.js'
import { hashOfSources, isFresh, readStamp, root } from './stamp.js'

const TEMPORARY = /^dist\.building-(\d+)-/

const started = performance.now()
const release = process.argv.includes('--release')
const sources = hashOfSources()
const stamp = readStamp()
removeAbandoned()
if (isFresh(stamp, sources)) {
  if (release) removeRetired(stamp)
  say('dist/ is up to date.')
} else {
  say('Building dist/ from the sources. This takes some seconds.')
  await build()
  say(`Built dist/ in ${((performance.now() - started) / 1000).toFixed(1)} s.`)
  say(`The command reads ${Math.round(bytesAtStart('cli.js') / 1000)} kB of code at its start.`)
}

async function build(): Promise<void> {
  const folder = mkdtempSync(join(root, `dist.building-${process.pid}-`))
  let stopCompiler = (): void => {}
  process.once('exit', () => {
    stopCompiler()
    rmSync(folder, { recursive: true, force: true })
  })
  process.once('SIGINT', () => process.exit(130))
  process.once('SIGTERM', () => process.exit(143))
  await generate()
  const types = new Promise<void>((resolve, reject) => {
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const args = ['-p', join(root, '.build', 'types.json'), '--outDir', join(folder, 'types')]
    // `npm run check:types` says whether types are right. Without that, one checker takes a third of the time of
    // the processors. It still refuses what it cannot write as a declaration.
    const only = ['--noCheck', '--checkers', '1']
    const compiler = spawn(process.execPath, [tsc, ...args, ...only], {
      cwd: root,
      stdio: 'inherit',
    })
    stopCompiler = () => void compiler.kill()
    compiler.once('error', reject)
    compiler.once('exit', (code) => {
      if (code === 0) resolve()
      else reject(new Error('The types were not built: see what the compiler says above.'))
    })
  })
  await Promise.all([bundle(folder), types])
  leavePublicTypes(join(folder, 'types', 'src'))
  publish(folder, { sources, release })
}

/** Removes the temporary folders of builds that were killed. */
function removeAbandoned(): void {
  for (const name of readdirSync(root)) {
    const match = TEMPORARY.exec(name)
    if (match && !isRunning(Number(match[1])))
      rmSync(join(root, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Prints to stderr, because the callers of npm read stdout. */
function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
