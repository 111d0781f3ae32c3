import { join } from 'node:path'
import { API } from 'typescript/unstable/sync'
import { root } from './pages.js'

/** What the compiler finds in files, with the options of the project and these. */
export function problemsIn(
  files: readonly string[],
  compilerOptions: Readonly<Record<string, unknown>> = {},
): string[] {
  const config = join(root, 'test', 'compiled.tsconfig.json')
  const program = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files }
  const api = new API({
    cwd: root,
    fs: { readFile: (file) => (file === config ? JSON.stringify(program) : undefined) },
  })
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)!
    return files.flatMap((file) =>
      project.program.getSemanticDiagnostics(file).map(({ text }) => `${file}: ${text}`),
    )
  } finally {
    api.close()
  }
}
