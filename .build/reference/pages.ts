import { apiPages } from './api.js'
import { checksPage } from './checks.js'
import { cliPage } from './cli.js'
import { controlPage } from './control.js'
import { errorsPage } from './errors.js'
import { indexPage } from './index.js'
import { mcpPage } from './mcp.js'
import { operationsPage } from './operations.js'
import { scenarioPage } from './scenario.js'
import { scenariosPage } from './scenarios.js'

/** Makes all pages of docs/reference/, by file name. */
export async function referencePages(): Promise<Record<string, string>> {
  return {
    'README.md': indexPage(),
    ...apiPages(),
    'checks.md': checksPage(),
    'cli.md': cliPage(),
    'control.md': await controlPage(),
    'errors.md': errorsPage(),
    'mcp.md': mcpPage(),
    'operations.md': operationsPage(),
    'scenario.md': scenarioPage(),
    'scenarios.md': scenariosPage(),
  }
}
