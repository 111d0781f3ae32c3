import { expect, it } from 'vitest'
import { changeOfText, formatChange } from '../../../../src/service/engine/lineage/answer-change.js'
import { callText } from '../../../../src/service/engine/lineage/message-text.js'
import { LONGEST_TEXT } from '../../../../src/service/engine/lineage/sample.js'

it('a change shows both texts around the place where they begin to differ', () => {
  const change = changeOfText('The sea is green today.', 'The sea is blue today.')
  expect(formatChange(change)).toBe(
    '"…he sea is green today." was sampled, and "…he sea is blue today." was submitted',
  )
})

it('no difference is shown beyond what is kept of a long sample', () => {
  const sent = callText('move', JSON.stringify({ to: 'a'.repeat(3000) }))
  const kept = sent.slice(0, LONGEST_TEXT)
  expect(changeOfText(kept, `${sent}!`)).toEqual({
    why: 'its text is not the one that was sampled',
  })
  const other = sent.replace('aaa', 'bbb')
  expect(changeOfText(kept, other)).toMatchObject({ is: expect.stringContaining('bbb') })
})

it('a call and a text that looks like it are not shown as a difference', () => {
  const call = callText('move', '{"to":"left"}')
  expect(changeOfText(call, 'move({"to":"left"})')).toEqual({
    why: 'its text is not the one that was sampled',
  })
  const cutInName = changeOfText('\u001fmo', 'Left.')
  expect(formatChange(cutInName)).toBe('"mo()" was sampled, and "Left." was submitted')
})

it('no character is cut in half', () => {
  const smile = '\u{1f600}'
  for (let before = 0; before < 50; before++) {
    const start = 'x'.repeat(before) + smile.repeat(30)
    const change = changeOfText(`${start}a${smile.repeat(30)}`, `${start}b${smile.repeat(30)}`)
    expect(formatChange(change)).not.toMatch(/\\ud[89a-f]/)
  }
})
