import { describe, expect, it } from 'vitest'
import { operations } from '../../src/index.js'
import { run } from './commands.js'

describe('openapi', () => {
  it.each([
    ['openapi', 'training'],
    ['openapi --inference', 'inference'],
  ])('with %s prints the document of the %s API', async (line, host) => {
    const { code, stdout } = await run(line)
    expect(code).toBe(0)
    const { openapi, paths } = JSON.parse(stdout) as { openapi: string; paths: object }
    expect(openapi).toBe('3.1.0')
    const listed = operations.filter((row) => row.host === host && !row.unlisted)
    expect(Object.keys(paths)).toEqual([...new Set(listed.map(({ path }) => path))])
  })

  it('with --contract prints the document of that contract', async () => {
    const fields = async (line: string): Promise<string[]> => {
      const { components } = JSON.parse((await run(line)).stdout) as {
        components: { schemas: { TrajectoryGroup: { properties: object } } }
      }
      return Object.keys(components.schemas.TrajectoryGroup.properties)
    }
    expect(await fields('openapi --contract 2026-01')).toEqual(['trajectories'])
    expect(await fields('openapi --contract 2026-11')).toEqual(await fields('openapi'))
  })

  it('names its option in the help', async () => {
    expect((await run('openapi --help')).stdout).toContain('--inference')
  })
})
