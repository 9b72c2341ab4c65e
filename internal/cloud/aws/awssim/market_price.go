package awssim

import (
	"bytes"
	_ "embed" // the data file
	"encoding/csv"
	"fmt"
	"math/big"
	"strconv"
	"sync"
)

//go:embed data/prices.csv
var priceData []byte

// microsPerDollar is the unit of money here.
const microsPerDollar = 1_000_000

// priceTable is the on-demand price of a type in micro-dollars per hour.
type priceTable map[string]int64

// loadPrices reads the embedded data, once per process.
var loadPrices = sync.OnceValues(func() (priceTable, error) {
	reader := csv.NewReader(bytes.NewReader(priceData))
	reader.Comment = '#'
	rows, err := reader.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("embedded prices: %w", err)
	}
	table := priceTable{}
	for _, row := range rows {
		micros, err := strconv.ParseInt(row[1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("embedded prices: %s: %w", row[0], err)
		}
		table[row[0]] = micros
	}
	return table, nil
})

// dollars writes an amount with a number of decimals, the last one rounded.
func dollars(micros int64, decimals int) string {
	return big.NewRat(micros, microsPerDollar).FloatString(decimals)
}

// share is a part of an amount, in thousandths.
func share(micros, thousandths int64) int64 { return micros * thousandths / 1000 }
