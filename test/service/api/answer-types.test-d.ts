import { integer } from '../../../src/service/contract/pydantic/integer.js'
import { list, nullable } from '../../../src/service/contract/pydantic/containers.js'
import { optional, undocumented } from '../../../src/service/contract/pydantic/fields.js'
import { model } from '../../../src/service/contract/pydantic/model.js'
import { string } from '../../../src/service/contract/pydantic/scalars.js'
import { apiErrors } from '../../../src/service/contract/errors.js'
import { operation } from '../../../src/service/api/operation.js'
import { Reply, WrittenReply } from '../../../src/service/api/result.js'

/** The compiler checks these rows: `run` must return exactly what `response` has. */
const row = {
  id: 'x',
  host: 'training',
  method: 'GET',
  path: '/',
  name: 'x',
  tag: 'x',
  summary: 'x',
  auth: 'open',
} as const
const response = model('M', {
  id: string,
  ...undocumented({ n: integer }),
  part: nullable(model('P', { a: integer, o: optional(string) })),
  list: list(model('L', { b: string })),
})
const right = { id: '', n: 1, part: { a: 1 }, list: [{ b: '' }] }
const unknown = Symbol()

operation({ ...row, response, run: () => right })
operation({
  ...row,
  response,
  run: ({ query }) => (query === unknown ? apiErrors.modelNotFound() : right),
})
operation({
  ...row,
  response,
  run: async ({ query }) => (query === unknown ? apiErrors.modelNotFound() : right),
})
operation({ ...row, response, run: () => new WrittenReply('') })
operation({ ...row, response, run: () => new Reply(200, right) })
operation({
  ...row,
  response,
  run: ({ query }) => {
    if (query === unknown) return new Reply(503, right)
    return right
  },
})
// @ts-expect-error A field is missing.
operation({ ...row, response, run: () => ({ id: '', part: null, list: [] }) })
// @ts-expect-error The schema has a number.
operation({ ...row, response, run: () => ({ ...right, n: '1' }) })
// @ts-expect-error The schema does not have it, although refusals have a `status`.
operation({ ...row, response, run: () => ({ ...right, status: 1 }) })
operation({
  ...row,
  response,
  // @ts-expect-error The schema does not have `more`.
  run({ query }) {
    if (query === unknown) return apiErrors.modelNotFound()
    return { id: '', n: 1, part: null, list: [], more: 1 }
  },
})
// @ts-expect-error The schema does not have `part.c`.
operation({ ...row, response, run: () => ({ ...right, part: { a: 1, c: 1 } }) })
// @ts-expect-error The schema does not have `list[].c`.
operation({ ...row, response, run: () => ({ ...right, list: [{ b: '', c: 1 }] }) })
// @ts-expect-error The schema does not have `c`.
operation({ ...row, response, run: () => new Reply(200, { ...right, c: 1 }) })
// @ts-expect-error A field is missing in a reply.
operation({ ...row, response, run: () => new Reply(200, { id: '' }) })
// @ts-expect-error A field is missing, later.
operation({ ...row, response, run: async () => ({ id: '' }) })
// @ts-expect-error The schema does not have `c`.
operation({ ...row, response, run: async () => ({ ...right, c: 1 }) })
