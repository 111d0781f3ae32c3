import { describe, expect, it } from 'vitest'
import { controlOperations } from '../../../src/compose/control-table.js'
import type { Call } from '../../../src/emulator/control/client/call.js'
import { controlMethods } from '../../../src/emulator/control/client/methods.js'
import { control } from '../../../src/emulator/control/row.js'
import { controlBody } from '../../../src/emulator/control/schemas/body-and-query.js'
import { describeApi } from '../../../src/service/api/openapi.js'
import type { Operation } from '../../../src/service/api/operation.js'
import { required } from '../../../src/service/contract/pydantic/fields.js'
import { model } from '../../../src/service/contract/pydantic/model.js'
import { string } from '../../../src/service/contract/pydantic/scalars.js'
import { billMethods } from '../../../src/tools/bill/control-client.js'
import { exploreMethods } from '../../../src/tools/explore/control-client.js'
import { proxyMethods } from '../../../src/emulator/intercept/control-client.js'

/** A row that the control API does not have. */
const invented = control({
  id: 'greet',
  method: 'POST',
  path: '/_emulator/greetings/{name}',
  summary: 'Greets somebody',
  body: controlBody('GreetRequest', { words: required(string, { description: 'The greeting.' }) }),
  response: model('Greeting', { text: required(string, { description: 'What was said.' }) }),
  run: () => ({ text: 'Hello' }),
})

/** The rows that no method of the client calls, each with its reason. */
const WITHOUT_METHOD: Readonly<Record<string, string>> = {
  describeControlApi: 'The client has the types already.',
  describeServiceApi: 'For tools that read OpenAPI documents.',
  readScenarioSchema: 'The package has the types of scenarios.',
  checkScenario: 'For text that somebody writes, in the dashboard and by tools of MCP.',
  callMcp: 'Clients of MCP call it.',
  stream: 'Browsers read it as an event source.',
}

/** One of these lets each method make its call. */
const ARGUMENTS = [['x'], ['x', 'x'], [{ files: {} }]]

/** The calls that the methods of the client make: `POST /jobs`. */
function callsOfClient(): ReadonlySet<string> {
  const made = new Set<string>()
  const record = (async (route: string) => {
    made.add(route)
    return {}
  }) as unknown as Call<never> & Call
  const callAll = (methods: object): void => {
    for (const method of Object.values(methods)) {
      if (typeof method !== 'function') callAll(method as object)
      // A method may read more than the empty answer has, after it has made its call.
      else for (const sent of ARGUMENTS) (async () => method(...sent))().catch(() => {})
    }
  }
  const tools = { ...billMethods(record), ...exploreMethods(record), ...proxyMethods(record) }
  callAll(controlMethods(record, tools))
  return made
}

/** The ids of the rows that no method of the client calls. */
function withoutMethod(rows: readonly Operation[]): string[] {
  const made = callsOfClient()
  return rows
    .filter(({ method, path }) => !made.has(`${method} ${path.replace('/_emulator', '')}`))
    .map(({ id }) => id)
}

interface Described {
  paths: Record<string, Record<string, DescribedOperation>>
  components: { schemas: Record<string, { properties?: Record<string, { description?: string }> }> }
}

interface DescribedOperation {
  operationId: string
  parameters?: { name: string; in: string; description?: string }[]
  requestBody?: unknown
}

const REFERENCE = /#\/components\/schemas\/\w+/

describe('a new row of the control API', () => {
  it('needs a method of the TypeScript client', () => {
    expect(
      withoutMethod(controlOperations).toSorted(),
      'A new row needs its method in src/emulator/control/client/',
    ).toEqual(Object.keys(WITHOUT_METHOD).toSorted())
    expect(withoutMethod([invented])).toEqual(['greet'])
  })

  it('says what each field of a body and of a query is', () => {
    const { paths, components } = describeApi(controlOperations, 'control') as unknown as Described
    const sent = Object.values(paths).flatMap((path) =>
      Object.values(path).flatMap(({ operationId, parameters = [], requestBody }) => {
        const schema = /\w+$/.exec(JSON.stringify(requestBody ?? '').match(REFERENCE)?.[0] ?? '')
        const fields = components.schemas[schema?.[0] ?? '']?.properties ?? {}
        return [
          ...parameters
            .filter((each) => each.in !== 'path')
            .map(({ name, description }) => [`${operationId} ${name}`, description]),
          ...Object.entries(fields).map(([name, field]) => [
            `${operationId} ${name}`,
            field.description,
          ]),
        ]
      }),
    )
    expect(sent.length).toBeGreaterThan(50)
    const without = sent.flatMap(([name = '', description]) => (description ? [] : [name]))
    // A snapshot is sent as it was written.
    expect(without.filter((name) => !name.startsWith('restoreSnapshot'))).toEqual([])
  })

  it('is in the OpenAPI document, from which the Python client is generated', () => {
    const { paths, components } = describeApi([...controlOperations, invented], 'control') as {
      paths: Record<string, Record<string, unknown>>
      components: { schemas: Record<string, unknown> }
    }
    expect(paths).toMatchObject({
      '/_emulator/greetings/{name}': { post: { summary: 'Greets somebody' } },
    })
    expect(components.schemas).toMatchObject({
      Greeting: { required: ['text'] },
      GreetRequest: { properties: { words: { description: 'The greeting.' } } },
    })
  })
})
