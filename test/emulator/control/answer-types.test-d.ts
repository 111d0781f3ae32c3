import { control } from '../../../src/emulator/control/row.js'
import { TextReply } from '../../../src/service/api/result.js'
import { ApiError } from '../../../src/service/contract/errors.js'
import { optional } from '../../../src/service/contract/pydantic/fields.js'
import { list } from '../../../src/service/contract/pydantic/containers.js'
import { model } from '../../../src/service/contract/pydantic/model.js'
import { string } from '../../../src/service/contract/pydantic/scalars.js'

/** The compiler checks these rows of the control API: `run` must return exactly what `response` has. */
const row = { id: 'x', method: 'GET', path: '/_emulator/x', summary: 'x' } as const
const response = model('M', {
  id: string,
  note: optional(string),
  items: list(model('I', { name: string })),
})
const right: { id: string; note?: string | undefined; items: readonly { name: string }[] } = {
  id: '',
  items: [{ name: '' }],
}
const other = Symbol()

control({ ...row, response, run: () => right })
control({ ...row, response, run: async () => right })
control({ ...row, response, run: ({ query }) => (query === other ? right : new ApiError(404, '')) })
control({ ...row, response, run: () => new TextReply('') })
// @ts-expect-error A field is missing.
control({ ...row, response, run: () => ({ items: [] }) })
// @ts-expect-error The schema has a text.
control({ ...row, response, run: () => ({ ...right, id: 1 }) })
// @ts-expect-error The schema does not have `more`.
control({ ...row, response, run: () => ({ ...right, more: '' }) })
control({
  ...row,
  response,
  // @ts-expect-error The schema of an item does not have `more`.
  run: () => ({ id: '', items: [{ name: '', more: '' }] }),
})
