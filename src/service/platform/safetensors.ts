/** A tensor of 32-bit floats. */
export interface Tensor {
  readonly shape: readonly number[]
  /** As many as the shape says. */
  readonly values: readonly number[]
}

const SPACE = 0x20

/**
 * Writes tensors as a safetensors file: the length of the header in eight bytes, a header in JSON, and the values.
 *
 * @see https://huggingface.co/docs/safetensors
 */
export function writeSafetensors(
  tensors: Readonly<Record<string, Tensor>>,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: metadata }
  let size = 0
  for (const [name, { shape, values }] of Object.entries(tensors)) {
    const end = size + 4 * values.length
    header[name] = { dtype: 'F32', shape, data_offsets: [size, end] }
    size = end
  }
  const head = new TextEncoder().encode(JSON.stringify(header))
  // The values begin at a multiple of eight bytes: spaces fill the header.
  const headLength = Math.ceil(head.length / 8) * 8
  const file = new Uint8Array(8 + headLength + size).fill(SPACE, 8, 8 + headLength)
  const view = new DataView(file.buffer)
  view.setBigUint64(0, BigInt(headLength), true)
  file.set(head, 8)
  let place = 8 + headLength
  for (const { values } of Object.values(tensors)) {
    for (const value of values) {
      view.setFloat32(place, value, true)
      place += 4
    }
  }
  return file
}
