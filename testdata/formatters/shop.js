import { total, discount as reduced } from './prices'
import fs from "fs"

const currency = 'EUR', symbols = { 'EUR': '€', USD: "$", "with-dash": 'it\'s "quoted"' }
let counter = .5, mask = 0XFF, rate = 1.50e+3

// a comment that is longer than most lines of this file, so that a formatter which wraps comments would wrap it somewhere
export function receipt(customer, basket, { coupon, locale = 'en', verbose = false }, callbackWithALongName) {
    if (!basket.length) return null
    const lines = basket.filter(item => item.count > 0 && !item.hidden).map((item) => ({ name: item.name, price: total(item.price, item.count) }))
    for (let i = 0; i < lines.length; i++) { counter += lines[i].price * rate; if (verbose) console.log('line ' + i, lines[i], `total: ${counter}`) }
    const summary = coupon ? reduced(coupon, lines) : lines.reduce((sum, line) => sum + line.price, 0)
    switch (locale) {
    case 'en': return callbackWithALongName(null, 'Thank you, ' + customer.name + ' (' + currency + ')', summary)
    default: return callbackWithALongName(new Error("unknown locale, try 'en'"))
    }
}

export const flags = ['first-flag', "second-flag", 'third-flag', 'fourth-flag', 'fifth-flag', 'sixth-flag'];
fs.writeFileSync("out.txt", flags.join(", "), { encoding: 'utf8', mode: 0o600 })
