/** A copy of the project whose sources hold all mutants of the list. The working tree stays as it is. */
import { execFileSync, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { instrumented, mutated, type Numbered } from './instrument.js'
import { type Placed, readText } from './sample.js'

export class Copy {
  readonly #root: string
  readonly folder: string

  constructor(root: string, folder: string) {
    this.#root = root
    this.folder = folder
  }

  /** Writes each file that differs, sources with their mutants, and removes files that are gone. */
  write(mutants: readonly (Numbered & { file: string })[]): void {
    mkdirSync(this.folder, { recursive: true })
    const modules = join(this.folder, 'node_modules')
    if (!existsSync(modules)) symlinkSync(join(this.#root, 'node_modules'), modules, 'junction')
    const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
    const listed = execFileSync('git', args, { cwd: this.#root, encoding: 'utf8' })
    const files = new Set(listed.split('\0').filter((file) => existsSync(join(this.#root, file))))
    files.delete('')
    for (const file of files) {
      const own = mutants.filter((each) => each.file === file)
      const content = readFileSync(join(this.#root, file))
      this.#replace(file, own.length === 0 ? content : instrumented(content.toString(), own))
    }
    for (const top of ['src', 'test']) {
      for (const entry of readdirSync(join(this.folder, top), {
        recursive: true,
        encoding: 'utf8',
      })) {
        const file = `${top}/${entry.replaceAll('\\', '/')}`
        if (/\.tsx?$/.test(file) && !files.has(file)) rmSync(join(this.folder, file))
      }
    }
    if (!existsSync(join(this.folder, 'dist')))
      cpSync(join(this.#root, 'dist'), join(this.folder, 'dist'), { recursive: true })
  }

  /** Builds `dist/` of the copy, because the command line runs from there. */
  async build(): Promise<void> {
    await this.run(['--import', 'tsx', 'test/mutation/build.ts'])
  }

  /** Returns which mutants the compiler accepts. Each stands in a file of its own beside its source. */
  accepted(mutants: readonly Placed[]): Placed[] {
    const names = mutants.map(({ file }, index) => file.replace(/(\.tsx?)$/, `.mutant-${index}$1`))
    for (const [index, name] of names.entries()) {
      const mutant = mutants[index]!
      writeFileSync(join(this.folder, name), mutated(readText(this.#root, mutant.file), mutant))
    }
    const refused = new Set<string>()
    try {
      const tsc = join(this.#root, 'node_modules', 'typescript', 'bin', 'tsc')
      execFileSync(process.execPath, [tsc, '--pretty', 'false'], {
        cwd: this.folder,
        encoding: 'utf8',
        maxBuffer: 1e9,
      })
    } catch (error) {
      const output = (error as { stdout: string }).stdout
      for (const [, name] of output.matchAll(/^(\S+\.mutant-\d+\.tsx?)\(/gm)) refused.add(name!)
    } finally {
      for (const name of names) rmSync(join(this.folder, name), { force: true })
    }
    return mutants.filter((_, index) => !refused.has(names[index]!))
  }

  /** Runs Node in the copy. Ends it and all that it started if a file does not grow for some milliseconds. */
  run(
    args: readonly string[],
    {
      env = {},
      silence,
    }: { env?: Record<string, string>; silence?: { file: string; most: number } } = {},
  ): Promise<{ code: number; output: string }> {
    return new Promise((resolve) => {
      const child = spawn(process.execPath, args, {
        cwd: this.folder,
        env: { ...ownEnvironment(), ...env },
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let output = ''
      child.stdout.on('data', (data) => (output += String(data)))
      child.stderr.on('data', (data) => (output += String(data)))
      const timer = setInterval(() => {
        if (silence && Date.now() - statSync(silence.file).mtimeMs > silence.most)
          endGroup(child.pid!)
      }, 1000)
      if (silence) utimesSync(silence.file, new Date(), new Date())
      child.on('exit', (code) => {
        clearInterval(timer)
        endGroup(child.pid!)
        resolve({ code: code ?? 1, output })
      })
    })
  }

  #replace(file: string, content: Buffer | string): void {
    const path = join(this.folder, file)
    if (existsSync(path) && readFileSync(path).equals(Buffer.from(content))) return
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
}

/** The environment of a test runner that runs us must not reach the one that we run. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env)
  return Object.fromEntries(
    entries.filter(([name]) => !/^(?:VITEST|TEST$|NODE_ENV$|MUTANT)/.test(name)),
  )
}

/** Ends a process with all that it started: what a mutant leaves running must not outlive it. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
