import { join } from 'node:path'
import { API } from 'typescript/unstable/sync'
import { root } from './pages.js'

/** What the compiler finds in files, with the options of the project and these. Files without a disk are in `texts`. */
export function problemsIn(
  files: readonly string[],
  compilerOptions: Readonly<Record<string, unknown>> = {},
  texts: ReadonlyMap<string, string> = new Map(),
): string[] {
  const config = join(root, 'test', 'compiled.tsconfig.json')
  const program = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files }
  const virtual = new Map([...texts, [config, JSON.stringify(program)]])
  const api = new API({
    cwd: root,
    fs: {
      readFile: (file) => virtual.get(file),
      fileExists: (file) => virtual.has(file) || undefined,
    },
  })
  try {
    const { program: read } = api.updateSnapshot({ openProjects: [config] }).getProject(config)!
    return files.flatMap((file) =>
      [...read.getSyntacticDiagnostics(file), ...read.getSemanticDiagnostics(file)].map(
        ({ text }) => `${file}: ${text}`,
      ),
    )
  } finally {
    api.close()
  }
}
