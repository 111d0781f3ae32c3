/**
 * MD5, which names the contents of files on the wire. Browsers have none: their `crypto` refuses it.
 */

const SHIFTS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]
const SINES = Int32Array.from(
  { length: 64 },
  (_, i) => Math.floor(2 ** 32 * Math.abs(Math.sin(i + 1))) | 0,
)
const BLOCK = 64

/** Returns the MD5 of bytes, as 16 bytes. */
export function md5(bytes: Uint8Array): Uint8Array {
  const state = Int32Array.of(0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476)
  const words = new Int32Array(16)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const whole = bytes.length - (bytes.length % BLOCK)
  for (let at = 0; at < whole; at += BLOCK) addBlock(state, words, view, at)
  const end = paddedEnd(bytes, whole)
  const rest = new DataView(end.buffer)
  for (let at = 0; at < end.length; at += BLOCK) addBlock(state, words, rest, at)
  const digest = new Uint8Array(16)
  const out = new DataView(digest.buffer)
  state.forEach((word, index) => out.setInt32(4 * index, word, true))
  return digest
}

/** The last bytes, a 1 bit, zeros, and the length in bits. */
function paddedEnd(bytes: Uint8Array, from: number): Uint8Array {
  const left = bytes.length - from
  const end = new Uint8Array(left + 9 > BLOCK ? 2 * BLOCK : BLOCK)
  end.set(bytes.subarray(from))
  end[left] = 0x80
  const view = new DataView(end.buffer)
  view.setUint32(end.length - 8, (bytes.length * 8) >>> 0, true)
  view.setUint32(end.length - 4, Math.floor(bytes.length / 2 ** 29), true)
  return end
}

/** The four rounds are loops of their own: with one loop that asks for its round, the same takes four times as long. */
function addBlock(state: Int32Array, words: Int32Array, view: DataView, at: number): void {
  for (let i = 0; i < 16; i++) words[i] = view.getInt32(at + 4 * i, true)
  let a = state[0]!
  let b = state[1]!
  let c = state[2]!
  let d = state[3]!
  let next: number
  for (let i = 0; i < 16; i++) {
    next = rotated((a + ((b & c) | (~b & d)) + SINES[i]! + words[i]!) | 0, SHIFTS[i & 3]!)
    a = d
    d = c
    c = b
    b = (b + next) | 0
  }
  for (let i = 16; i < 32; i++) {
    const word = words[(5 * i + 1) & 15]!
    next = rotated((a + ((d & b) | (~d & c)) + SINES[i]! + word) | 0, SHIFTS[4 + (i & 3)]!)
    a = d
    d = c
    c = b
    b = (b + next) | 0
  }
  for (let i = 32; i < 48; i++) {
    const word = words[(3 * i + 5) & 15]!
    next = rotated((a + (b ^ c ^ d) + SINES[i]! + word) | 0, SHIFTS[8 + (i & 3)]!)
    a = d
    d = c
    c = b
    b = (b + next) | 0
  }
  for (let i = 48; i < 64; i++) {
    const word = words[(7 * i) & 15]!
    next = rotated((a + (c ^ (b | ~d)) + SINES[i]! + word) | 0, SHIFTS[12 + (i & 3)]!)
    a = d
    d = c
    c = b
    b = (b + next) | 0
  }
  state[0] = (state[0]! + a) | 0
  state[1] = (state[1]! + b) | 0
  state[2] = (state[2]! + c) | 0
  state[3] = (state[3]! + d) | 0
}

function rotated(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by))
}
