import { describe, expect, inject, it } from 'vitest'
import { describeApi } from '../../../src/service/api/openapi.js'
import type { FrameworkVersion } from '../../../src/service/contract/framework.js'
import { createEmulator, operations } from '../../../src/index.js'
import { prepare, type Environment, type Python } from '../python.js'
import { report } from '../report.js'
import { answerOf, compare, type Compared } from '../requests/compare.js'
import { answersOfFramework } from '../requests/framework.js'
import { generateRequests } from '../requests/generate.js'
import type { GeneratedRequest } from '../requests/recipe.js'

/** The generated requests, answered by each release of the framework that a scenario can choose. */

const SEED = 1

const releases: Readonly<Record<FrameworkVersion, Environment | 'framework'>> = {
  'fastapi-0.131': environmentOf('fastapi-0.131'),
  'fastapi-0.142': 'framework',
  'fastapi-0.165': environmentOf('fastapi-0.165'),
}

function environmentOf(name: FrameworkVersion): Environment {
  const requirements = `requirements-${name}.txt`
  return { oldest: 11, requirements, constraints: `constraints-${name}.txt` }
}

/** The generated requests, and every fifth of those with a text again without a content type. */
function requestsOf(): GeneratedRequest[] {
  const generated = generateRequests(describeApi(operations, 'training'), SEED)
  const untyped = generated
    .filter(({ base64, headers }) => {
      return base64 === undefined && headers['content-type'] === 'application/json'
    })
    .filter((_, index) => index % 5 === 0)
    .map((request) => {
      const { 'content-type': _type, ...headers } = request.headers
      return { ...request, headers }
    })
  return [...generated, ...untyped]
}

async function compareAll(command: string, framework: FrameworkVersion): Promise<Compared[]> {
  const requests = requestsOf()
  const variables = { SVTRAIN_MESSAGE_ARRAYS: 'checked' }
  const answers = await answersOfFramework(command, { name: framework, requests, variables })
  const scenario = {
    name: 'as-documented',
    auth: { open: ['health' as const, 'system-check' as const] },
    message_arrays: 'checked' as const,
    framework,
  }
  await using emulator = createEmulator({ clock: 'manual', scenario })
  const compared: Compared[] = []
  for (const [index, request] of requests.entries()) {
    const theirs = answers[index]!
    compared.push(compareOne({ request, theirs, ours: await answerOf(emulator, request) }))
  }
  return compared
}

const CHAT = /\/chat\/completions\/?$/

/** Without a content type, chats reach the chat layer in the oldest release only. The oracle has no such layer. */
function compareOne(asked: Parameters<typeof compare>[0]): Compared {
  const { request, theirs, ours } = asked
  const isChatError = theirs.status === 200 && ours.status === 400 && CHAT.test(request.path)
  if (!isChatError) return compare(asked)
  return { ...asked, isSame: false, reason: 'the chat layer has errors of its own' }
}

describe('the answers of a release of the framework', () => {
  it.each(Object.keys(releases) as FrameworkVersion[])(
    '%s are the same, except for known reasons',
    async (framework) => {
      const release = releases[framework]
      const python: Python =
        release === 'framework' ? inject('pythons').framework : await prepare(framework, release)
      if (python.command === undefined) {
        process.stdout.write(`Skipped: ${python.why}\n`)
        return
      }
      const compared = await compareAll(python.command, framework)
      const others = compared.filter(({ isSame }) => !isSame)
      expect(others.filter(({ reason }) => reason === undefined).slice(0, 5)).toEqual([])
      expect(1 - others.length / compared.length).toBeGreaterThanOrEqual(0.995)
      const row = {
        check: `Generated requests, \`framework: ${framework}\``,
        cases: compared.length,
        same: compared.length - others.length,
        reasons: [...new Set(others.map(({ reason }) => reason))].join('; '),
      }
      expect(report(`2c-${framework}`, [row])).toEqual([])
    },
    600_000,
  )
})
