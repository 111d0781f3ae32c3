import { describe, expect, it } from 'vitest'
import { TemplateError } from '../../../../src/service/contract/jinja/python.js'
import { Template } from '../../../../src/service/contract/jinja/template.js'
import { createEmulator } from '../../../../src/index.js'
import { outcomeOf, readResults } from '../../../interop/templates/results.js'
import { clientOf } from '../../../support/api-client.js'
import { tokenizerContent } from '../../../support/tokenizer.js'

const now = Date.UTC(2026, 6, 4, 9, 5, 7)

function render(source: string, variables: Record<string, unknown> = {}): string {
  return new Template(source).render(variables, now)
}

describe('a chat template', () => {
  it.each(readResults().map((result) => [result.template, result] as const))(
    'is rendered as Jinja2 does, or it is refused: %j',
    (template, { jinja, emulator }) => {
      expect(outcomeOf(template, jinja)).toEqual(emulator)
      expect(emulator.kind).not.toBe('different')
    },
  )

  it('has the time of the clock of the emulator', async () => {
    expect(render("{{ strftime_now('%d %b %Y') }}")).toBe('04 Jul 2026')
    expect(render("{{ strftime_now('%a %A, %B %d, %m %y %H:%M:%S %%') }}")).toBe(
      'Sat Saturday, July 04, 07 26 09:05:07 %',
    )
    const files = { ...tokenizerContent(), chatTemplate: "{{ strftime_now('%Y') }}" }
    const baseModels = [{ id: 'org/model', tokenizer: files }]
    const emulator = createEmulator({ clock: 'manual', baseModels })
    const body = { model: 'org/model', messages: [{ role: 'user', content: 'a' }] }
    const idsOf = async (): Promise<unknown> => {
      const asked = { ...body, return_token_ids: true }
      return (await clientOf(emulator).post('/chat/completions', asked)).body.prompt_token_ids
    }
    const before = await idsOf()
    emulator.clock.advance('400d')
    expect(await idsOf()).not.toEqual(before)
  })

  it.each(['range(5, 1, 0)', 'range(1, 5, 0)', 'range(1, 1, 0)', '[1][::0]'])(
    'never takes steps of 0: %s',
    (source) => expect(() => render(`{{ ${source} }}`)).toThrow('needs a step other than 0'),
  )

  it('takes a negative number of spaces for none', () => {
    expect(render("{{ 'a\\nb' | indent(-1) }} {{ [1] | tojson(indent=-1) }}")).toBe('a\nb [\n1\n]')
  })

  it('writes the last letter of a word as its context asks', () => {
    expect(render("{{ 'ΑΣ' | capitalize }} {{ 'ΟΔΟΣ ΑΣ'.capitalize() }}")).toBe('Ας Οδος ας')
  })

  it('fails with its own words', () => {
    expect(() => render('{{ x | int }}', { x: Infinity })).toThrow('expected a finite number')
    expect(() => render("{{ raise_exception('Not so.') }}")).toThrow('Not so.')
    const named = { name: 'constructor', all: [1] }
    expect(() => render('{{ all | select(name) | list }}', named)).toThrow('the name of a test')
    expect(() => render('{{ all | map(name) | list }}', named)).toThrow('the name of a filter')
    const endless = '{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}'
    expect(() => render(endless)).toThrow(TemplateError)
  })

  it.each([
    ['{{\n x | tojsn }}', 'line 2: the filter tojsn is not supported. Did you mean "tojson"?'],
    ['\n{{ a is\nmaping }}', 'line 3: the test maping is not supported. Did you mean "mapping"?'],
    ["\n{{ a.strp('x') }}", 'line 2: the method strp is not supported. Did you mean "strip"?'],
    ['a\n{% include "b" %}', 'line 2: the statement include is not supported.'],
    ['{{ "| pprint" }}\n{{ 1 < 2 < 3 }}', 'line 2: comparing twice without parentheses'],
    ['{{ [1,\n2 3] }}', 'line 2: this without an operator or a comma'],
    ['\n{{ a + b ~ c }}', 'line 2: the operator ~ behind + or - without parentheses'],
    ['a\n{% if %}b{% endif %}', 'line 2: Unexpected token: CloseStatement'],
    ['a\n{% if a %}b', 'line 2: the end of this block is missing'],
  ])('is refused with what is not supported, and its line: %j', (source, problem) => {
    expect(() => new Template(source).read()).toThrow(problem)
  })
})
