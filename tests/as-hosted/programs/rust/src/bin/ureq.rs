fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).unwrap_or("https://api.basistheory.com/tokens".into());
    let key = std::env::var("BT_API_KEY").unwrap();
    let response = ureq::get(&url).header("BT-API-KEY", &key).call()?;
    println!("answered {}", response.status().as_u16());
    Ok(())
}
