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
interface PartOfReference {
  readonly name: string
  /** Whether a file of docs/reference/ is one of them. */
  readonly has: (file: string) => boolean
  readonly make: () => Pages | Promise<Pages>
}

const API = /^api[/\\]/
const CONTROL = 'control.md'

/** All pages of docs/reference/, in parts that take seconds: the compiler, a call of each row, and the rest. */
export const partsOfReference: readonly PartOfReference[] = [
  { name: 'the TypeScript API', has: (file) => API.test(file), make: apiPages },
  {
    name: 'the control API',
    has: (file) => file === CONTROL,
    make: async () => ({ [CONTROL]: await controlPage() }),
  },
  {
    name: 'everything else',
    has: (file) => !API.test(file) && file !== CONTROL,
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
