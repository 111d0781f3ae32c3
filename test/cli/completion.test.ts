import { chmodSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { RunningProcess } from '../support/running-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { assertBuilt, Command } from './command.js'

const program = join(import.meta.dirname, '..', '..', 'bin', 'svtrain-emulator.js')

/** Lines as typed, up to the cursor. */
const typed = [
  '',
  'scenarios ',
  'snapshot e',
  '--sc',
  '--w',
  '--webhook',
  'exec --tr',
  'explore --ti',
  'play --',
  'sink --f',
  '--scenario fail',
  'exec --scenario web',
  'play st',
  'scenarios show flaky',
  '--log ',
  '--clock m',
  'sink sign --encoding ',
  'trigger RUN_M',
  'trigger RUN_STATE --state ',
  'completion ',
  'docs test',
  'docs reference/s',
  'docs --s',
  // Nothing matches, so bash completes file names.
  '--import ./w',
  'snapshot show ./w',
]

describe.skipIf(process.platform === 'win32')('completion', { timeout: 60_000 }, () => {
  beforeAll(assertBuilt)

  it('completes commands, options, choices and names of scenarios in bash', async () => {
    const folder = temporaryFolder()
    const installed = join(folder, 'svtrain-emulator')
    writeFileSync(installed, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`)
    chmodSync(installed, 0o755)
    const script = `
      source <(svtrain-emulator completion bash)
      # What bash does at a tab: it calls the function that is registered for the command.
      complete_line() {
        COMP_LINE="svtrain-emulator $1"
        read -ra COMP_WORDS <<< "$COMP_LINE"
        [[ $COMP_LINE == *' ' ]] && COMP_WORDS+=('')
        COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
        COMPREPLY=()
        "$(complete -p svtrain-emulator | sed 's/.*-F \\([^ ]*\\).*/\\1/')"
        printf '$ %s\\n' "$COMP_LINE"
        for reply in "\${COMPREPLY[@]}"; do printf '%s\\n' "$reply"; done
      }
      for line in "$@"; do complete_line "$line"; done`
    const bash = new RunningProcess('bash', ['--norc', '-c', script, 'bash', ...typed], {
      cwd: folder,
      env: { PATH: `${folder}${delimiter}${process.env.PATH}` },
    })
    expect(await bash.ended()).toBe(0)
    expect(bash.stderr).toBe('')
    await expect(bash.stdout).toMatchFileSnapshot('../golden/completion.txt')
  })

  it.each([
    [['completion', 'bash'], '/bin/zsh', 'bash'],
    [['completion', 'zsh'], '/bin/bash', 'zsh'],
    [['completion'], '/bin/bash', 'bash'],
    [['completion'], '/usr/bin/zsh', 'zsh'],
  ])('prints the script of the shell: %j with SHELL=%s', async (args, SHELL, shell) => {
    const command = new Command(args, { env: { SHELL } })
    expect(await command.ended()).toBe(0)
    expect(command.stderr).toBe('')
    await expect(command.stdout).toMatchFileSnapshot(`../golden/completion.${shell}`)
  })
})
