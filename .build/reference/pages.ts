import { apiPages } from './api.js'
import { checksPage } from './checks.js'
import { cliPage } from './cli.js'
import { controlPage } from './control.js'
import { errorsPage } from './errors.js'
import { pageFrom } from './markdown.js'
import { mcpPage } from './mcp.js'
import { operationsPage } from './operations.js'
import { pythonPage } from './python.js'
import { scenarioPage } from './scenario.js'
import { scenariosPage } from './scenarios.js'

/** The text of each page, by its file in docs/reference/. */
type Pages = Readonly<Record<string, string>>

/** Pages that are made together. */
export interface PartOfReference {
  readonly name: string
  /** The files of docs/reference/ that are its pages. */
  readonly files: RegExp
  readonly make: () => Pages | Promise<Pages>
}

/** All pages of docs/reference/, in parts that take seconds: the compiler, a call of each row, and the rest. */
export const partsOfReference: readonly PartOfReference[] = [
  { name: 'the TypeScript API', files: /^api[/\\]/, make: apiPages },
  {
    name: 'the control API',
    files: /^control/,
    make: async () => ({ 'control.md': await controlPage() }),
  },
  {
    name: 'everything else',
    files: /^(?!api[/\\]|control)/,
    make: () => ({
      'README.md': pageFrom('README'),
      'checks.md': checksPage(),
      'cli.md': cliPage(),
      'errors.md': errorsPage(),
      'mcp.md': mcpPage(),
      'operations.md': operationsPage(),
      'python.md': pythonPage(),
      'scenario.md': scenarioPage(),
      'scenarios.md': scenariosPage(),
    }),
  },
]
