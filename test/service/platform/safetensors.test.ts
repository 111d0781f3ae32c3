import { expect, it } from 'vitest'
import { writeSafetensors } from '../../../src/service/platform/safetensors.js'

it.each(['pt', 'ö', '日本語'])('the values begin at a multiple of eight bytes: %s', (format) => {
  const file = writeSafetensors({ one: { shape: [1], values: [1.5] } }, { format })
  const view = new DataView(file.buffer)
  const length = Number(view.getBigUint64(0, true))
  expect(length % 8).toBe(0)
  const header = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + length))) as object
  expect(header).toMatchObject({ __metadata__: { format }, one: { data_offsets: [0, 4] } })
  expect(view.getFloat32(8 + length, true)).toBe(1.5)
})
