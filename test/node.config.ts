import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { settingsOf, shared } from '../vitest.config.js'
import { ofNode } from './suites.js'

/** `npm run test:node` */
// oxlint-disable-next-line import/no-default-export -- Vitest reads it.
export default defineConfig({
  root: join(import.meta.dirname, '..'),
  test: { ...shared, ...settingsOf(ofNode) },
})
