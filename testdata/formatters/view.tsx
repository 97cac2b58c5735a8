import React, { useState } from 'react'
type Mode = 'list' | 'grid' | 'a mode with a rather long name' | 'another mode with a long name'
interface Props { title: string, items: string[]; onSelect?: (item: string, index: number) => void }
export const View = ({ title, items, onSelect }: Props) => {
    const [mode, setMode] = useState<Mode>('list')
    const visible = items.filter(item => item !== '' && !item.startsWith('_'))
    return <section className='view' data-mode={mode}>
        <h1 title="The title">{title}</h1> <button type='button' disabled={!visible.length} onClick={() => setMode(mode === 'list' ? 'grid' : 'list')}>Switch the mode</button>
        {visible.map((item, index) => <li key={item} onClick={() => onSelect?.(item, index)}>{index + 1}. {item}<br></br></li>)}
        </section>
}
