package awssim

import (
	"bytes"
	_ "embed" // the data file
	"encoding/csv"
	"fmt"
	"strconv"
	"time"
)

//go:embed data/block_rates.csv
var blockRateData []byte

// blockRates are prices by instance type and region, in millionths of a US
// dollar per instance and hour. Region "" is every other one.
type blockRates map[string]map[string]int64

func readBlockRates(data []byte) (blockRates, error) {
	reader := csv.NewReader(bytes.NewReader(data))
	reader.Comment, reader.FieldsPerRecord = '#', 3
	rows, err := reader.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("block rates: %w", err)
	}
	rates := blockRates{}
	for _, row := range rows[min(1, len(rows)):] {
		micros, err := strconv.ParseInt(row[2], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("block rates: %w", err)
		}
		if rates[row[0]] == nil {
			rates[row[0]] = map[string]int64{}
		}
		rates[row[0]][row[1]] = micros
	}
	return rates, nil
}

// fee is what instances cost for a while, in whole dollars as AWS's offers
// have it (aws-samples/sample-aws-batch-capacity-block-reservations shows 283
// for 24 hours at 11.80). The surcharge is in thousandths.
func (r blockRates) fee(instanceType, region string, count int, length time.Duration, surcharge int64) string {
	rate, listed := r[instanceType][region]
	if !listed {
		rate = r[instanceType][""]
	}
	const perDollar = 1_000_000 * 60 * 1000
	parts := rate * int64(count) * int64(length/time.Minute) * (1000 + surcharge)
	return strconv.FormatInt((parts+perDollar/2)/perDollar, 10)
}

// surcharge is what demand adds to the published rate, in thousandths, so that
// offers of one length differ in price. That they do is the user guide's; how
// much is UNVERIFIED.
func surcharge(zone string, starts time.Time) int64 {
	digits := hexHash([]byte(zone + starts.Format(time.DateOnly)))
	return int64(digits[0]%4) * 25
}
